import type { Relay } from '../federation/index.ts';
import type { Call } from './call.ts';
import { answerOf, notReached } from './federation-answer.ts';
import type { OperationAnswer } from './prepared-operation.ts';
import { holdsOnlyData, piecesOf } from './relayed-bytes.ts';
import { type RemoteTarget, remoteRequest } from './remote-request.ts';
import { takeCookies } from './remote-response.ts';
import type { UpstreamError, UpstreamHandler, UpstreamResponse } from './upstream-exchange.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Sends an operation to the one federated service that answers it, and relays the answer where it is data alone. */
export function relayAnswer(
  relay: Relay<Call>,
  target: RemoteTarget,
  variables: Variables,
  call: Call,
  done: (answer: OperationAnswer) => void,
): void {
  const request = remoteRequest(target, relay.body(variables), call, relay.kind === 'query');
  target.http.dispatch(request, new Relaying(relay, target, variables, call, done));
}

/** One operation that is under way. */
class Relaying implements UpstreamHandler {
  readonly #relay: Relay<Call>;
  readonly #target: RemoteTarget;
  readonly #variables: Variables;
  readonly #call: Call;
  readonly #done: (answer: OperationAnswer) => void;

  constructor(
    relay: Relay<Call>,
    target: RemoteTarget,
    variables: Variables,
    call: Call,
    done: (answer: OperationAnswer) => void,
  ) {
    this.#relay = relay;
    this.#target = target;
    this.#variables = variables;
    this.#call = call;
    this.#done = done;
  }

  onResponse(response: UpstreamResponse): void {
    takeCookies(response, this.#call);
    const bytes = piecesOf(response);
    if (holdsOnlyData(bytes)) this.#done(bytes);
    else this.#done(answerOf(this.#relay.read(bytes, this.#variables, this.#call), this.#call));
  }

  onError(error: UpstreamError): void {
    const why = notReached(this.#target, error, this.#call);
    this.#done(answerOf(this.#relay.fail(why, this.#variables, this.#call), this.#call));
  }
}
