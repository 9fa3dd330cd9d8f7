import { useRef } from 'preact/hooks';

interface SplitterProps {
  /** What it makes larger and smaller. */
  readonly label: string;
  /** Of the line: a vertical one is moved to the left and right. */
  readonly orientation: 'vertical' | 'horizontal';
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** How far one press of an arrow key moves it. */
  readonly step: number;
  /** The value at a position of the pointer, from the box of the element that contains the line. */
  readonly valueAt: (box: DOMRect, pointer: { readonly x: number; readonly y: number }) => number;
  readonly onChange: (value: number) => void;
  /** Called for a double click. */
  readonly onReset: () => void;
}

/** A line between two panels that the mouse, a finger or the arrow keys move (ARIA Authoring Practices, window splitter). */
export function Splitter(props: SplitterProps) {
  const { label, orientation, value, min, max, step, valueAt, onChange, onReset } = props;
  const isDragged = useRef(false);
  const change = (next: number) => onChange(Math.round(Math.min(max, Math.max(min, next))));
  function move(event: KeyboardEvent) {
    const [less, more] = orientation === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const next = { [less as string]: value - step, [more as string]: value + step, Home: min, End: max }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved is none of <hr>
    <div
      class={`splitter ${orientation}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={move}
      onDblClick={onReset}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        isDragged.current = true;
      }}
      onPointerMove={({ currentTarget, clientX: x, clientY: y }) => {
        const container = currentTarget.parentElement;
        if (isDragged.current && container) change(valueAt(container.getBoundingClientRect(), { x, y }));
      }}
      onLostPointerCapture={() => {
        isDragged.current = false;
      }}
    />
  );
}
