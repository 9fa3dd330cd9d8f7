/** Outlines of 16 by 16 units, drawn with one stroke of 1.5. */
const OUTLINES = {
  terminal: 'M2.5 4 6.5 8l-4 4M8.5 12h5',
  arrows: 'M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13',
  code: 'M5.5 4 1.75 8l3.75 4M10.5 4l3.75 4-3.75 4',
  person: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.75 13.75C3.25 11.5 5.3 10.25 8 10.25s4.75 1.25 5.25 3.5',
  stack: 'M2.25 3.25h11.5v3.5H2.25zM2.25 9.25h11.5v3.5H2.25zM5 5h.01M5 11h.01',
  nodes:
    'M8 5.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM3.5 14.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM12.5 14.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM7.25 5.1l-2.9 5.8M8.75 5.1l2.9 5.8',
  file: 'M3.75 1.75h5.5l3 3v9.5h-8.5zM9 2v3h3M6 8.5h4M6 11.25h4',
  people:
    'M6 7.5A2.5 2.5 0 1 0 6 2.5a2.5 2.5 0 0 0 0 5zM1.5 13.25c.4-2.2 2.1-3.5 4.5-3.5s4.1 1.3 4.5 3.5M10.5 7.4a2.4 2.4 0 0 0 0-4.8M12.25 10.1c1.3.5 2 1.6 2.25 3.15',
  plug: 'M5.5 1.75V5M10.5 1.75V5M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.25',
  lock: 'M3.5 7.25h9v6.5h-9zM5.25 7V5a2.75 2.75 0 0 1 5.5 0v2',
  list: 'M2.5 4h.01M2.5 8h.01M2.5 12h.01M5.5 4h8M5.5 8h8M5.5 12h8',
  building: 'M3 13.75V2.25h6v11.5M9 6.25h4v7.5M1.5 13.75h13M5.5 5h1M5.5 8h1M5.5 11h1',
  key: 'M5.25 13.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM7.25 8.75 13.5 2.5M10.75 5.25l2 2',
  clock: 'M8 14.25A6.25 6.25 0 1 0 8 1.75a6.25 6.25 0 0 0 0 12.5zM8 4.75V8l2.25 1.5',
  menu: 'M2.5 4.25h11M2.5 8h11M2.5 11.75h11',
  leave: 'M6.25 2.5H3v11h3.25M10 5l3 3-3 3M13 8H6.5',
  play: 'M4.5 2.75v10.5L13 8z',
  stop: 'M3.75 3.75h8.5v8.5h-8.5z',
  plus: 'M8 3v10M3 8h10',
  cross: 'M4 4l8 8M12 4l-8 8',
} as const;

export type IconName = keyof typeof OUTLINES;

/** An icon in the colour of the text beside it, which says what it means. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={OUTLINES[name]} />
    </svg>
  );
}

/** The product's mark, which is also the icon of the page. */
export function Mark({ size }: { readonly size: number }) {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  return <img class="mark" src={icon?.href ?? ''} alt="" width={size} height={size} />;
}
