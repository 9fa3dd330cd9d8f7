import { useState } from 'preact/hooks';
import { shell } from '../texts/index.ts';
import { Button } from './button.tsx';

const COPIED_SHOWN_MS = 1_500;

/** Copies a text. @param text what is copied, made when it is asked for. */
export function CopyButton({ text, label = shell.copy }: { readonly text: () => string; readonly label?: string }) {
  const [outcome, setOutcome] = useState<string | undefined>(undefined);
  async function copy() {
    setOutcome((await isCopied(text())) ? shell.copied : shell.notCopied);
    setTimeout(() => setOutcome(undefined), COPIED_SHOWN_MS);
  }
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{outcome ?? label}</span>
    </Button>
  );
}

async function isCopied(text: string): Promise<boolean> {
  // Browsers offer the clipboard to secure origins only, whatever their types say.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    await clipboard?.writeText(text);
    return clipboard !== undefined;
  } catch {
    return false;
  }
}
