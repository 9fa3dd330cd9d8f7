import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/index.ts';
import { shell } from '../texts/index.ts';

/** A message about what has happened. Problems are announced at once, all else politely. */
export function Notice({
  kind,
  children,
}: {
  readonly kind: 'bad' | 'good' | 'info';
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What has failed, where that is not plain from its place. */
  readonly what?: string | undefined;
}

/** Why something failed: the gateway's message and code, with the id that its logs have. */
export function ErrorNotice({ error, what }: ErrorNoticeProps) {
  return (
    <Notice kind="bad">
      <p>
        {what !== undefined && <strong>{what}: </strong>}
        {messageOf(error)}
      </p>
      {error instanceof ApiError && error.requestId !== undefined && (
        <p class="dim small">{shell.errors.requestId(error.requestId)}</p>
      )}
    </Notice>
  );
}

function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return error.code === 'unreachable' ? shell.errors.unreachable : shell.errors.withCode(error.message, error.code);
}
