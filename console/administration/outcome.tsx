import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const SHOWN_MS = 8_000;

const outcome = signal('');

/** Says what was done, where it moves nothing of the page. */
export function tellOutcome(text: string): void {
  outcome.value = text;
}

/** Shows and announces what was done last, for a while. */
export function OutcomeNotice() {
  const text = outcome.value;
  useEffect(() => {
    if (text === '') return;
    const timer = setTimeout(() => tellOutcome(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => () => tellOutcome(''), []);
  return (
    <div class="outcome" role="status">
      {text !== '' && <p class="notice good">{text}</p>}
    </div>
  );
}
