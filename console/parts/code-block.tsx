import { CopyButton } from './copy-button.tsx';

/** A text to copy, such as a command. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <figure class="code-block">
      <figcaption class="row">
        <span>{label}</span>
        <CopyButton text={() => text} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
