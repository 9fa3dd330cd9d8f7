import { Button, CopyButton, Dialog } from '../parts/index.ts';
import { administration as texts } from '../texts/index.ts';

/** A secret that is shown once, with what belongs to it. */
export interface ShownSecret {
  readonly title: string;
  readonly text: string;
  /** By their names, each to copy. */
  readonly values: readonly (readonly [name: string, value: string])[];
}

/** Shows a secret until it is closed; nothing of it is kept. */
export function SecretDialog({ secret, onClose }: { readonly secret: ShownSecret; readonly onClose: () => void }) {
  return (
    <Dialog title={secret.title} onClose={onClose} ignoresEscape>
      <p>{secret.text}</p>
      <dl class="secret">
        {secret.values.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="row">
              <code>{value}</code>
              <CopyButton text={() => value} label={texts.secret.copy(name)} />
            </dd>
          </div>
        ))}
      </dl>
      <Button kind="primary" onClick={onClose}>
        {texts.secret.close}
      </Button>
    </Dialog>
  );
}
