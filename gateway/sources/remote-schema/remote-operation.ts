import { type ExecutionResult, print, stripIgnoredCharacters } from 'graphql';
import type { Done } from '../../../platform/index.ts';
import type { Variables } from '../../graphql/syntax/index.ts';
import {
  PassthroughBody,
  type UpstreamError,
  type UpstreamHandler,
  type UpstreamResponse,
} from '../../upstream/index.ts';
import type { CompiledOperation, OperationAnswer, OperationDocument } from '../compiled-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { filesRequest, type RemoteTarget, remoteRequest } from './remote-request.ts';
import { readResult, takeCookies, upstreamFailure } from './remote-response.ts';

/**
 * Compiles an operation that is sent to a remote schema unchanged. Its text is printed once; each request adds the
 * client's variables. A response that contains only data is not parsed.
 *
 * @param takesFiles whether the remote schema accepts files.
 */
export function compileForward(
  target: RemoteTarget,
  toPrepare: OperationDocument,
  takesFiles: boolean,
): CompiledOperation {
  const bodyWith = forwardedBody(toPrepare);
  const isQuery = toPrepare.operation.operation === 'query';
  return {
    kind: 'forward',
    takesFiles,
    run: (variables, context, done) => {
      const body = bodyWith(variables);
      const request = context.files
        ? filesRequest(target, body, context.files, context)
        : remoteRequest(target, body, context, isQuery);
      target.http.dispatch(request, new Forwarding(target, context, done));
    },
  };
}

/** Returns a function that creates a request's JSON body from a client's variables. The operation is printed once. */
export function forwardedBody({ document, operation }: OperationDocument): (variables: Variables) => string {
  const query = JSON.stringify(stripIgnoredCharacters(print(document)));
  const name = operation.name?.value;
  const prepared = `{"query":${query}${name === undefined ? '' : `,"operationName":${JSON.stringify(name)}`}`;
  const declared = (operation.variableDefinitions ?? []).map(({ variable }): DeclaredVariable => {
    const name = variable.name.value;
    return { name, key: `${JSON.stringify(name)}:` };
  });
  return (variables) => {
    const given = declared.length === 0 ? '' : `,"variables":${declaredText(variables, declared)}`;
    return `${prepared}${given}}`;
  };
}

interface DeclaredVariable {
  readonly name: string;
  /** `"name":` */
  readonly key: string;
}

/** Writes the declared variables as JSON, without collecting them in an object, since one may be named `__proto__`. */
function declaredText(variables: Variables, declared: readonly DeclaredVariable[]): string {
  let members = '';
  for (const { name, key } of declared) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) members += `${members && ','}${key}${JSON.stringify(value)}`;
  }
  return `{${members}}`;
}

/** An operation in flight whose response is not incremental. */
export class Forwarding implements UpstreamHandler {
  readonly #target: RemoteTarget;
  readonly #context: OperationContext;
  readonly #done: Done<OperationAnswer>;

  constructor(target: RemoteTarget, context: OperationContext, done: Done<OperationAnswer>) {
    this.#target = target;
    this.#context = context;
    this.#done = done;
  }

  onResponse(response: UpstreamResponse): void {
    takeCookies(response, this.#context);
    const body = PassthroughBody.of(response);
    this.#done(body.isDataOnly() ? body : this.#read(response));
  }

  onError(error: UpstreamError): void {
    this.#done(upstreamFailure(this.#target.name, error, this.#context));
  }

  #read(response: UpstreamResponse): ExecutionResult {
    return readResult(this.#target.name, response, this.#context);
  }
}
