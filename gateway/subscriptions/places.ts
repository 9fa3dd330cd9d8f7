import { GatewayError } from '../errors.ts';

/** Counts connections that stay, so that there are never more than the gateway can hold. */
export class Places {
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
    if (this.#taken >= this.#most)
      throw new GatewayError('service-unavailable', 'too many connections stay open here', {
        headers: { 'retry-after': '5' },
      });
    this.#taken++;
    let isGivenBack = false;
    return () => {
      if (!isGivenBack) this.#taken--;
      isGivenBack = true;
    };
  }
}
