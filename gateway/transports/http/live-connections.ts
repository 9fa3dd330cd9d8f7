import { tooManyConnections } from '../../errors.ts';

/** A slot of a limit. */
export interface Slot {
  /** Releases the slot. Later calls do nothing. */
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

/** Limits long-lived connections: WebSockets and event streams. */
export class LiveConnections {
  readonly #max: number;
  #open = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** The number of open connections. */
  get open(): number {
    return this.#open;
  }

  /** @throws GatewayError `service-unavailable` if the limit is reached. */
  take(): Slot {
    if (this.#open >= this.#max) throw tooManyConnections();
    this.#open++;
    return takenSlot(() => {
      this.#open--;
    });
  }
}
