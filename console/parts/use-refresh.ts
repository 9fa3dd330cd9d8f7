import { useEffect, useRef } from 'preact/hooks';

const REFRESH_MS = 10_000;

/** Loads again and again while the page is seen. @param reload undefined while nothing changes any more. */
export function useRefresh(reload: (() => void) | undefined): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current?.();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
}
