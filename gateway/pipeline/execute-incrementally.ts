import { GraphQLError } from 'graphql';
import {
  type HttpHints,
  type IncrementalFlow,
  type IncrementalFormats,
  type IncrementalOperation,
  type IncrementalPayload,
  mapErrors,
  type OperationAnswer,
  type ParsedPayload,
} from '../sources/index.ts';
import { ExecutionContext, type OperationResult, operationTimeout, resultOf } from './execute.ts';
import type { ExecutableRequest } from './requests.ts';
import { executionErrors, unforeseenError } from './response/index.ts';
import { withinTimeLimit } from './time-limit.ts';

/** Receives an incremental response: `begun` once, then any number of `part`, then `ended`. */
export interface PartsReceiver {
  /** The formats that the client accepts. */
  readonly formats: IncrementalFormats;
  /** @param parameters parameters of the content type other than the boundary, each with a leading semicolon. */
  begun(http: HttpHints, parameters: string, flow: IncrementalFlow): void;
  /** @param json a payload. */
  part(json: Buffer): void;
  ended(): void;
}

/**
 * Executes an operation whose response may be incremental. Never throws. The time limit, cancellation and counts apply
 * to the whole response.
 *
 * @param answered called with the result if the response is not incremental.
 */
export function executeIncrementally(
  executable: ExecutableRequest,
  prepared: IncrementalOperation,
  answered: (result: OperationResult) => void,
  receiver: PartsReceiver,
): void {
  const startedAt = performance.now();
  const { context, session, request, counts, operation, usage } = executable;
  let flow: IncrementalFlow | undefined;
  let hasErrors = false;

  const take = (part: IncrementalPayload): void => {
    if (!Buffer.isBuffer(part)) takeRead(part);
    else receiver.part(part);
  };
  const takeRead = (part: ParsedPayload): void => {
    const publicPart = mapErrors(part, (errors) => {
      hasErrors ||= errors.length > 0;
      context.record?.addErrors(errors);
      return errors.flatMap((error): readonly unknown[] =>
        error instanceof GraphQLError ? executionErrors(error, context.log) : [error],
      );
    });
    receiver.part(Buffer.from(JSON.stringify(publicPart)));
  };
  const count = () => {
    const durationMs = performance.now() - startedAt;
    counts.end(operation.operation, hasErrors, durationMs, context.span);
    executable.named?.ran(executable, hasErrors, durationMs);
    usage?.ran(context.clientHeaders, Number(hasErrors), durationMs);
  };
  const answer = (result: OperationResult): void => {
    hasErrors = result.errors !== undefined;
    context.record?.addErrors(result.errors);
    count();
    answered(result);
  };
  const end = (last: ParsedPayload | undefined): void => {
    if (last) takeRead(last);
    count();
    receiver.ended();
  };
  const endLate = (): void => {
    const late = operationTimeout(session);
    if (flow) end(flow.lastPart(late.errors?.[0]));
    else answer(late);
  };

  withinTimeLimit<() => void>(
    executable.seconds,
    context.cancellation,
    (cancellation, finish) => {
      const execution = new ExecutionContext(executable, cancellation);
      const whole = (came: OperationAnswer) => finish(() => answer(resultOf(came, execution, false)));
      try {
        prepared.run(request.variables, execution, receiver.formats, {
          answered: whole,
          begun: (parameters, ofParts) => {
            flow = ofParts;
            receiver.begun(execution.http, parameters, ofParts);
          },
          part: take,
          ended: (last) => finish(() => end(last)),
        });
      } catch (error) {
        whole({ data: null, errors: [unforeseenError(error)] });
      }
    },
    () => endLate,
    (finish) => finish(),
  );
}
