import { useState } from 'preact/hooks';
import { shell } from '../texts/index.ts';
import { Button } from './button.tsx';

const SHOWN_MS = 1_500;

/** Copies a text. @param text what is copied, made when it is asked for. */
export function CopyButton({ text, label = shell.copy }: { readonly text: () => string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }
  return (
    <Button kind="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? shell.copied : label}</span>
    </Button>
  );
}
