import { useEffect, useRef } from 'preact/hooks';

const REFRESH_MS = 10_000;

/** Loads again and again while the page is seen. @param reload undefined while nothing changes any more, or may be seen. */
export function useRefresh(reload: (() => void) | undefined, everyMs = REFRESH_MS): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current?.();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
