import { type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import type { Call } from './call.ts';
import type { OperationAnswer, OperationToPrepare, PreparedOperation } from './prepared-operation.ts';
import { holdsOnlyData, piecesOf } from './relayed-bytes.ts';
import { filesRequest, type RemoteTarget, remoteRequest } from './remote-request.ts';
import { notAnswered, readResult, takeCookies } from './remote-response.ts';
import type { UpstreamError, UpstreamHandler, UpstreamResponse } from './upstream-exchange.ts';

type Variables = Readonly<Record<string, unknown>>;
type Done = (answer: OperationAnswer) => void;

/**
 * Makes an operation ready to be sent to a remote schema as it is. The text is printed once; the client's variables are
 * put beside it, and the answer is not parsed where it holds nothing but data.
 *
 * @param takesFiles whether the remote schema takes files.
 */
export function prepareForward(
  target: RemoteTarget,
  toPrepare: OperationToPrepare,
  takesFiles: boolean,
): PreparedOperation {
  const bodyWith = forwardedBody(toPrepare);
  const isQuery = toPrepare.operation.operation === 'query';
  return {
    kind: 'forward',
    takesFiles,
    run: (variables, call, done) => {
      const body = bodyWith(variables);
      const request = call.files
        ? filesRequest(target, body, call.files, call)
        : remoteRequest(target, body, call, isQuery);
      target.http.dispatch(request, new Forwarding(target, call, done));
    },
  };
}

/** The JSON body that sends an operation, printed once, with the variables that a client has given. */
export function forwardedBody({ document, operation }: OperationToPrepare): (variables: Variables) => string {
  const query = JSON.stringify(stripIgnoredCharacters(print(document)));
  const name = operation.name?.value;
  const prepared = `{"query":${query}${name === undefined ? '' : `,"operationName":${JSON.stringify(name)}`}`;
  const declared = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  return (variables) => {
    const given = declared.length === 0 ? '' : `,"variables":${JSON.stringify(declaredOf(variables, declared))}`;
    return `${prepared}${given}}`;
  };
}

function declaredOf(variables: Variables, declared: readonly string[]): unknown {
  const given: Record<string, unknown> = {};
  for (const name of declared) if (Object.hasOwn(variables, name)) given[name] = variables[name];
  return given;
}

/** One operation that is under way, whose answer comes in one piece. */
export class Forwarding implements UpstreamHandler {
  readonly #target: RemoteTarget;
  readonly #call: Call;
  readonly #done: Done;

  constructor(target: RemoteTarget, call: Call, done: Done) {
    this.#target = target;
    this.#call = call;
    this.#done = done;
  }

  onResponse(response: UpstreamResponse): void {
    takeCookies(response, this.#call);
    const bytes = piecesOf(response);
    this.#done(holdsOnlyData(bytes) ? bytes : this.#read(response));
  }

  onError(error: UpstreamError): void {
    this.#done(notAnswered(this.#target.name, error, this.#call));
  }

  #read(response: UpstreamResponse): ExecutionResult {
    return readResult(this.#target.name, response, this.#call);
  }
}
