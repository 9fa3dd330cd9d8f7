import type { Done } from '../../../platform/index.ts';
import type { Variables } from '../../graphql/syntax/index.ts';
import { type RelayedFetch, SubgraphFailure } from '../../planning/joins/index.ts';
import {
  PassthroughBody,
  type UpstreamError,
  type UpstreamHandler,
  type UpstreamResponse,
} from '../../upstream/index.ts';
import type { OperationAnswer } from '../compiled-operation.ts';
import { sourceFailure } from '../errors.ts';
import type { OperationContext } from '../operation-context.ts';
import { toOperationAnswer } from '../planned-operations.ts';
import { REMOTE_SCHEMA_ERROR, type RemoteTarget, remoteRequest, takeCookies } from '../remote-schema/index.ts';

/** Sends an operation to the only subgraph that it needs. Relays the response unparsed if it contains only data. */
export function relayAnswer(
  relay: RelayedFetch<OperationContext>,
  target: RemoteTarget,
  variables: Variables,
  context: OperationContext,
  done: Done<OperationAnswer>,
): void {
  const request = remoteRequest(target, relay.body(variables), context, relay.kind === 'query');
  target.http.dispatch(request, new Relaying(relay, target, variables, context, done));
}

/** A relayed operation in progress. */
class Relaying implements UpstreamHandler {
  readonly #relay: RelayedFetch<OperationContext>;
  readonly #target: RemoteTarget;
  readonly #variables: Variables;
  readonly #context: OperationContext;
  readonly #done: Done<OperationAnswer>;

  constructor(
    relay: RelayedFetch<OperationContext>,
    target: RemoteTarget,
    variables: Variables,
    context: OperationContext,
    done: Done<OperationAnswer>,
  ) {
    this.#relay = relay;
    this.#target = target;
    this.#variables = variables;
    this.#context = context;
    this.#done = done;
  }

  onResponse(response: UpstreamResponse): void {
    takeCookies(response, this.#context);
    const body = PassthroughBody.of(response);
    if (body.isDataOnly()) this.#done(body);
    else this.#done(toOperationAnswer(this.#relay.read(body.chunks, this.#variables, this.#context), this.#context));
  }

  onError(error: UpstreamError): void {
    const why = notReached(this.#target, error, this.#context);
    this.#done(toOperationAnswer(this.#relay.fail(why, this.#variables, this.#context), this.#context));
  }
}

/** The client's error for a failed call to a subgraph. The log line has the details. */
export function notReached({ name }: RemoteTarget, error: unknown, context: OperationContext): SubgraphFailure {
  const { message, extensions } = sourceFailure(name, REMOTE_SCHEMA_ERROR, error, context);
  return new SubgraphFailure(message, extensions);
}
