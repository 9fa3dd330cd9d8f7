import { GatewayError } from '../errors.ts';
import type {
  RunSavedOperation,
  SavedOperationCall,
  SavedOperationError,
  SavedOperationResult,
} from '../sources/index.ts';
import type { RequestContext } from '../transports/http/index.ts';
import type { OperationPipeline } from './pipeline.ts';
import { executionErrors, refusedRequest, unforeseenError } from './response/index.ts';

/** Returns the function by which handlers of the metadata run saved operations in the pipeline. */
export function savedOperationRunner(operations: OperationPipeline): RunSavedOperation {
  return (call, done) => {
    const rejected = (errors: readonly SavedOperationError[]): SavedOperationResult => ({
      data: null,
      errors,
      isRejected: true,
    });
    let prepared: ReturnType<OperationPipeline['prepareSaved']>;
    try {
      prepared = operations.prepareSaved(requestOf(call), call.session, contextOf(call));
    } catch (error) {
      done(
        rejected(
          error instanceof GatewayError
            ? [refusedRequest(error)]
            : executionErrors(unforeseenError(error), call.origin.log),
        ),
      );
      return;
    }
    if (prepared.kind === 'rejected') {
      const { errors, retryAfterSeconds } = prepared;
      done(
        rejected(
          retryAfterSeconds === undefined ? errors : errors.map((one) => withRetryAfter(one, retryAfterSeconds)),
        ),
      );
      return;
    }
    operations.execute(prepared, { withEnvelope: false, asBytes: false }, ({ data = null, errors = [] }) =>
      done({ data, errors, isRejected: false }),
    );
  };
}

function withRetryAfter(error: SavedOperationError, seconds: number): SavedOperationError {
  return { ...error, extensions: { retry_after: seconds, ...error.extensions } };
}

function requestOf({ query, variables, operationName }: SavedOperationCall) {
  return { query, variables, operationName };
}

/** The context has no record: the access log and explanations describe the operation of the client. */
function contextOf({ origin, cancellation, span, depth }: SavedOperationCall): RequestContext {
  const { requestId, clientAddress, clientHeaders, log } = origin;
  return { requestId, clientAddress, clientHeaders, cancellation, log, record: undefined, span, handlerDepth: depth };
}
