import type { UpstreamFlow } from '../exchange.ts';

/** The flow of a relayed response, which records whether its client received anything and whether it was paused. */
export class ClientPace implements UpstreamFlow {
  readonly #flow: UpstreamFlow;
  hasBegun = false;
  hasWaited = false;

  constructor(flow: UpstreamFlow) {
    this.#flow = flow;
  }

  pause(): void {
    this.hasWaited = true;
    this.#flow.pause();
  }

  resume(): void {
    this.#flow.resume();
  }

  begun(): void {
    this.hasBegun = true;
    this.#flow.begun();
  }

  refuse(reason: string): void {
    this.#flow.refuse(reason);
  }
}
