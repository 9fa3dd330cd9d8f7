import { tooManyConnections } from '../errors.ts';

/** Counts connections that stay, so that there are never more than the gateway can hold. */
export class ConnectionLimit {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * @returns what gives the place back, once.
   * @throws GatewayError 503 when there is none left.
   */
  take(): () => void {
    if (this.#taken >= this.#most) throw tooManyConnections();
    this.#taken++;
    let isGivenBack = false;
    return () => {
      if (!isGivenBack) this.#taken--;
      isGivenBack = true;
    };
  }
}
