import { effect, signal } from '@preact/signals';

/** The sizes of the explorer's panels. */
export interface ExplorerLayout {
  /** Width of the side panel, in pixels. */
  readonly side: number;
  /** Share of the operation in the width that is left, in per cent. */
  readonly work: number;
  /** Share of the document in the height above the variables, in per cent. */
  readonly document: number;
}

type Range = Readonly<Record<'min' | 'max' | 'step' | 'initial', number>>;

export const LAYOUT_RANGES: Readonly<Record<keyof ExplorerLayout, Range>> = {
  side: { min: 180, max: 520, step: 20, initial: 260 },
  work: { min: 25, max: 75, step: 5, initial: 50 },
  document: { min: 20, max: 85, step: 5, initial: 70 },
};

/** Concerns this browser, not the user, so it outlives a logout as the theme does. */
const LAYOUT_KEY = 'portico-explorer-layout';

export const layout = signal<ExplorerLayout>(readLayout());

effect(() => {
  try {
    localStorage.setItem(LAYOUT_KEY, JSON.stringify(layout.value));
  } catch {
    // Storage is switched off or full: the sizes are those of this page only.
  }
});

function readLayout(): ExplorerLayout {
  let stored: Readonly<Record<string, unknown>> = {};
  try {
    stored = Object(JSON.parse(localStorage.getItem(LAYOUT_KEY) ?? '{}')) as Readonly<Record<string, unknown>>;
  } catch {
    // Storage is switched off, or something else wrote there.
  }
  const sizeOf = (name: keyof ExplorerLayout) => {
    const { min, max, initial } = LAYOUT_RANGES[name];
    const size = stored[name];
    return typeof size === 'number' && size >= min && size <= max ? size : initial;
  };
  return { side: sizeOf('side'), work: sizeOf('work'), document: sizeOf('document') };
}
