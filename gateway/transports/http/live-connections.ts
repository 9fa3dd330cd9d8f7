import { tooManyConnections } from '../../errors.ts';

/** A slot under a limit, which its holder has taken. */
export interface Slot {
  /** Releases it. Later calls do nothing. */
  release(): void;
}

/** @param onRelease called once, when the slot is released. */
export function takenSlot(onRelease: () => void): Slot {
  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      onRelease();
    },
  };
}

/** Limits the connections that stay open for as long as their clients like: WebSockets and event streams. */
export class LiveConnections {
  readonly #max: number;
  #open = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many are open. */
  get open(): number {
    return this.#open;
  }

  /** @throws GatewayError `service-unavailable` when as many are open as are allowed. */
  take(): Slot {
    if (this.#open >= this.#max) throw tooManyConnections();
    this.#open++;
    return takenSlot(() => {
      this.#open--;
    });
  }
}
