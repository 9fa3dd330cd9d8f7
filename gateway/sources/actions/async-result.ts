import { GraphQLError } from 'graphql';
import type { JobResult, Json } from '../../jobs/engine/index.ts';
import { codeWithoutExtensions, VERBATIM } from './errors.ts';

/** The result of an asynchronous action as its field has it. */
export interface AsyncResult {
  readonly id: string;
  /** As PostgreSQL writes a timestamptz in JSON. */
  readonly created_at: string;
  readonly errors: Json;
  readonly output: Json;
}

/** Why there is neither output nor error of the webhook, by the state of the job. */
const WITHOUT_ANSWER: Partial<Record<JobResult['state'], string>> = {
  expired: 'the action was not run in time',
  cancelled: 'the action was cancelled',
  failed: 'internal error',
  dead: 'internal error',
};

export function asyncResult({ id, state, acceptedAt, errors, output }: JobResult): AsyncResult {
  const message = errors === null ? WITHOUT_ANSWER[state] : undefined;
  return {
    id,
    created_at: acceptedAt.toISOString().replace('Z', '+00:00'),
    errors: message === undefined ? errors : { path: '$', error: message, code: 'unexpected' },
    output,
  };
}

/** An error as Hasura keeps it in `errors`: without a webhook's own extensions, but for their code where it gave no other. */
export function storedErrors(error: unknown): Json {
  if (!(error instanceof GraphQLError)) return { path: '$', error: 'internal error', code: 'unexpected' };
  const { internal } = error.extensions as { internal?: Json };
  const code = codeWithoutExtensions(error.extensions);
  const isOwn = !(VERBATIM in error.extensions);
  return {
    path: '$',
    error: error.message,
    code: typeof code === 'string' ? code : 'unexpected',
    ...(isOwn && internal !== undefined && { internal }),
  };
}
