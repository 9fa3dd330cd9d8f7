import { GraphQLError, type GraphQLOutputType } from 'graphql';
import type { Done } from '../../../platform/index.ts';
import type { OperationContext } from '../operation-context.ts';
import type { ObjectInput } from './type-field-inputs.ts';
import {
  type ActionOutcome,
  type ActionWebhook,
  callBatchWebhook,
  callWebhook,
  codeWithoutExtensions,
  errorOfWebhook,
  isNothing,
  misfitWebhookResponse,
  responseProblem,
  VERBATIM,
} from './webhook/index.ts';

/** Calls an action for objects. Calls `done` exactly once, with one outcome for each input; never throws. */
export type CallForObjects = (
  inputs: readonly ObjectInput[],
  context: OperationContext,
  done: Done<readonly ActionOutcome[]>,
) => void;

/**
 * The maximum number of concurrent calls of one action for one operation. A long list of one client must not fill the
 * queue of the action, which all clients share.
 */
const MAX_CONCURRENT_CALLS = 16;

/**
 * Creates the calls of an action that is a field of a type.
 *
 * @param batchSize the maximum number of objects in one call. Undefined if each object is a call
 */
export function callsForObjects(action: ActionWebhook, batchSize: number | undefined): CallForObjects {
  return (inputs, context, done) => {
    const outcomes: ActionOutcome[] = new Array(inputs.length);
    const size = batchSize ?? 1;
    const callFrom = (start: number, ended: () => void) => {
      const take = (found: readonly ActionOutcome[]) => {
        for (const [index, outcome] of found.entries()) outcomes[start + index] = withService(outcome, action.name);
        ended();
      };
      if (batchSize === undefined) callWebhook(action, { ...inputs[start] }, context, (outcome) => take([outcome]));
      else {
        const batch = inputs.slice(start, start + size);
        callBatchWebhook(action, batch, context, (outcome) => take(outcomesOfBatch(action, outcome, batch.length)));
      }
    };
    runConcurrently(
      Math.ceil(inputs.length / size),
      (call, ended) => callFrom(call * size, ended),
      () => done(outcomes),
    );
  };
}

/** Runs numbered calls, a few at the same time. A call may end synchronously. */
function runConcurrently(count: number, run: (call: number, ended: () => void) => void, done: () => void): void {
  let started = 0;
  let ended = 0;
  let isStarting = false;
  const start = () => {
    // Calls that end synchronously would nest once for each object otherwise.
    if (isStarting) return;
    isStarting = true;
    while (started < count && started - ended < MAX_CONCURRENT_CALLS)
      run(started++, () => {
        ended += 1;
        if (ended === count) done();
        else start();
      });
    isStarting = false;
  };
  if (count === 0) done();
  else start();
}

/** The outcome of each object. A failed call fails for all of its objects. */
function outcomesOfBatch(action: ActionWebhook, outcome: ActionOutcome, count: number): readonly ActionOutcome[] {
  if ('error' in outcome) return new Array(count).fill(outcome);
  const entries = outcome.value as readonly { readonly data?: unknown; readonly error?: unknown }[];
  return entries.map((entry): ActionOutcome => {
    if (!isNothing(entry.error)) return { error: errorOfWebhook(action, entry.error) };
    const problem =
      responseProblem(entry.data, action.outputType as GraphQLOutputType) ?? action.excessProblem?.(entry.data);
    if (problem === undefined) return { value: entry.data };
    return { error: misfitWebhookResponse(action, problem, { status: 200, body: JSON.stringify(entry) }) };
  });
}

/** Adds the action's name to an error, which clients see below the object of another service. */
function withService(outcome: ActionOutcome, action: string): ActionOutcome {
  if (!('error' in outcome) || !(outcome.error instanceof GraphQLError)) return outcome;
  const { message, extensions, originalError } = outcome.error;
  const { [VERBATIM]: _code, ...shown } = extensions as { [VERBATIM]?: unknown };
  const code = codeWithoutExtensions(extensions);
  return { error: new GraphQLError(message, { extensions: { ...shown, code, service: action }, originalError }) };
}
