import { CopyButton } from './copy-button.tsx';
import { PreformattedText } from './scroll-region.tsx';

/** A text to copy, such as a command. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <figure class="code-block">
      <figcaption class="row">
        <span>{label}</span>
        <CopyButton text={() => text} />
      </figcaption>
      <PreformattedText>
        <code>{text}</code>
      </PreformattedText>
    </figure>
  );
}
