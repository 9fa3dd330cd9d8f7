import type { Done } from '../../../platform/index.ts';
import type { RelayedFetch } from '../../federation/index.ts';
import type { Variables } from '../../syntax/index.ts';
import {
  PassthroughBody,
  type UpstreamError,
  type UpstreamHandler,
  type UpstreamResponse,
} from '../../upstream/index.ts';
import type { OperationAnswer } from '../compiled-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { type RemoteTarget, remoteRequest, takeCookies } from '../remote-schema/index.ts';
import { notReached, toOperationAnswer } from './federation-answer.ts';

/** Sends an operation to the one federated service that answers it, and relays the answer where it is data alone. */
export function relayAnswer(
  relay: RelayedFetch<OperationContext>,
  target: RemoteTarget,
  variables: Variables,
  call: OperationContext,
  done: Done<OperationAnswer>,
): void {
  const request = remoteRequest(target, relay.body(variables), call, relay.kind === 'query');
  target.http.dispatch(request, new Relaying(relay, target, variables, call, done));
}

/** One operation that is under way. */
class Relaying implements UpstreamHandler {
  readonly #relay: RelayedFetch<OperationContext>;
  readonly #target: RemoteTarget;
  readonly #variables: Variables;
  readonly #call: OperationContext;
  readonly #done: Done<OperationAnswer>;

  constructor(
    relay: RelayedFetch<OperationContext>,
    target: RemoteTarget,
    variables: Variables,
    call: OperationContext,
    done: Done<OperationAnswer>,
  ) {
    this.#relay = relay;
    this.#target = target;
    this.#variables = variables;
    this.#call = call;
    this.#done = done;
  }

  onResponse(response: UpstreamResponse): void {
    takeCookies(response, this.#call);
    const body = PassthroughBody.of(response);
    if (body.isDataOnly()) this.#done(body);
    else this.#done(toOperationAnswer(this.#relay.read(body.chunks, this.#variables, this.#call), this.#call));
  }

  onError(error: UpstreamError): void {
    const why = notReached(this.#target, error, this.#call);
    this.#done(toOperationAnswer(this.#relay.fail(why, this.#variables, this.#call), this.#call));
  }
}
