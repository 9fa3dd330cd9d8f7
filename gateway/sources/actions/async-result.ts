import { GraphQLError, type GraphQLOutputType } from 'graphql';
import type { JobResult } from '../../jobs/engine/index.ts';
// Not imported from `index.ts`, which loads the jobs engine.
import { done, type JobOutcome, type Json } from '../../jobs/engine/job.ts';
import { progressResult } from './job-progress.ts';
import { codeWithoutExtensions, declaredPart, VERBATIM } from './webhook/index.ts';

/** The value of an asynchronous action's result field. */
export interface AsyncResult {
  readonly id: string;
  /** Formatted as PostgreSQL writes a timestamptz in JSON. */
  readonly created_at: string;
  readonly errors: Json;
  readonly output: Json;
  /** Set if the metadata turns it on. */
  readonly progress?: ReturnType<typeof progressResult>;
}

/** The error message, by job state, if a job has neither output nor webhook errors. */
const WITHOUT_ANSWER: Partial<Record<JobResult['state'], string>> = {
  expired: 'the action was not run in time',
  cancelled: 'the action was cancelled',
  failed: 'internal error',
  dead: 'internal error',
};

export function asyncResult({ id, state, acceptedAt, errors, output, progress }: JobResult): AsyncResult {
  const message = errors === null ? WITHOUT_ANSWER[state] : undefined;
  return {
    id,
    created_at: acceptedAt.toISOString().replace('Z', '+00:00'),
    errors: message === undefined ? errors : { path: '$', error: message, code: 'unexpected' },
    output,
    ...(progress !== undefined && { progress: progressResult(progress) }),
  };
}

/**
 * Formats an error as Hasura stores it in `errors`. Extensions of the webhook are left out. Their code is only used if
 * the webhook gave no other code.
 */
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

/** The outcome with the declared part of a value. A value that is nested too deeply cannot be stored. */
export function declaredOutcome(value: unknown, type: GraphQLOutputType): JobOutcome {
  try {
    return done(declaredPart(value, type) as Json);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { outcome: 'failed', reason: 'invalid-response', errors: storedErrors(error) };
  }
}
