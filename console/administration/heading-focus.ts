import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Moves the focus to the heading when a page shows another entry, or its list again: keyboards and screen readers go on there.
 *
 * @param id of the entry; undefined for the list.
 * @returns of the element that the heading is in.
 */
export function useHeadingFocus(id: string | undefined): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const opened = useRef(id);
  useEffect(() => {
    if (opened.current === id) return;
    opened.current = id;
    place.current?.querySelector<HTMLElement>('h1')?.focus();
  }, [id]);
  return place;
}
