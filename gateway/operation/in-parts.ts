import { GraphQLError } from 'graphql';
import {
  type AnswerPart,
  type HttpHints,
  mapErrors,
  type OperationAnswer,
  type PartsFlow,
  type PreparedParts,
  type ReadPart,
} from '../sources/index.ts';
import { executionErrors, unforeseenError } from './errors.ts';
import { OperationCall, type OperationResult, resultOf, tooLate } from './execution.ts';
import { withinTime } from './limits-time.ts';
import type { ReadyOperation } from './ready-operation.ts';

/** Where an answer goes: `answered` once, or `begun`, then any number of `part`, then `ended`. */
export interface PartsTaker {
  /** It came in one piece. */
  answered(result: OperationResult): void;
  /**
   * It comes in parts.
   *
   * @param parameters of the content type beside its boundary, each with its semicolon before it.
   */
  begun(http: HttpHints, parameters: string, flow: PartsFlow): void;
  /** @param json one part. */
  part(json: Buffer): void;
  ended(): void;
}

/**
 * Runs an operation whose answer may come in parts. What holds for an answer in one piece holds for all parts together:
 * the time limit, the client's leave, the counts. Nothing is thrown.
 *
 * @param accept what asks the source for parts, as in the header `Accept`.
 */
export function runInParts(ready: ReadyOperation, prepared: PreparedParts, accept: string, taker: PartsTaker): void {
  const startedAt = performance.now();
  const { client, session, request, counts, operation } = ready;
  let flow: PartsFlow | undefined;
  let hasErrors = false;

  const take = (part: AnswerPart): void => {
    if (!Buffer.isBuffer(part)) takeRead(part);
    else taker.part(part);
  };
  const takeRead = (part: ReadPart): void => {
    const told = mapErrors(part, (errors) => {
      hasErrors ||= errors.length > 0;
      client.record?.addErrors(errors);
      return errors.flatMap((error): readonly unknown[] =>
        error instanceof GraphQLError ? executionErrors(error, client.log) : [error],
      );
    });
    taker.part(Buffer.from(JSON.stringify(told)));
  };
  const count = () => counts.end(operation.operation, hasErrors, performance.now() - startedAt);
  const answer = (result: OperationResult): void => {
    hasErrors = result.errors !== undefined;
    client.record?.addErrors(result.errors);
    count();
    taker.answered(result);
  };
  const end = (last: ReadPart | undefined): void => {
    if (last) takeRead(last);
    count();
    taker.ended();
  };
  const endLate = (): void => {
    const late = tooLate(session);
    if (flow) end(flow.lastPart(late.errors?.[0]));
    else answer(late);
  };

  withinTime<() => void>(
    ready.seconds,
    client.cancellation,
    (cancellation, finish) => {
      const call = new OperationCall(ready, cancellation);
      const answered = (came: OperationAnswer) => finish(() => answer(resultOf(came, call, false)));
      try {
        prepared.run(request.variables, call, `${accept}, application/json`, {
          answered,
          begun: (parameters, ofParts) => {
            flow = ofParts;
            taker.begun(call.http, parameters, ofParts);
          },
          part: take,
          ended: (last) => finish(() => end(last)),
        });
      } catch (error) {
        answered({ data: null, errors: [unforeseenError(error)] });
      }
    },
    () => endLate,
    (finish) => finish(),
  );
}
