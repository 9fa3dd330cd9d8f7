const PROBE_EVERY_MS = 1_000;

interface Closable {
  close(): void;
}

export interface FailoverOptions<Service extends Closable> {
  /** The service that may fail. */
  readonly primary: Service;
  /** Takes the calls while the primary fails. */
  readonly fallback: Service;
  /** The timeout of calls to the primary, in milliseconds. */
  readonly timeoutMs: number;
  /** A call to the primary that has no effects. */
  readonly probe: (primary: Service) => Promise<unknown>;
  readonly onFailure: (reason: string) => void;
  readonly onRecovery: () => void;
}

/**
 * Calls a primary service, and a fallback while the primary fails. The first call that fails or times out switches to the
 * fallback. From then on, only a background probe calls the primary, and the first success switches back.
 */
export class Failover<Service extends Closable> {
  readonly #options: FailoverOptions<Service>;
  #isFailedOver = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FailoverOptions<Service>) {
    this.#options = options;
  }

  /** Whether the primary takes the calls. */
  get isOnPrimary(): boolean {
    return !this.#isFailedOver;
  }

  /** Calls the primary, or the fallback if that fails. */
  async call<Result>(operation: (service: Service) => Promise<Result>): Promise<Result> {
    const { primary, fallback, timeoutMs } = this.#options;
    if (!this.#isFailedOver)
      try {
        return await withTimeout(operation(primary), timeoutMs);
      } catch (error) {
        this.#failOver(error);
      }
    return operation(fallback);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#options.primary.close();
    this.#options.fallback.close();
  }

  #failOver(error: unknown): void {
    if (this.#isFailedOver || this.#isClosed) return;
    this.#isFailedOver = true;
    this.#options.onFailure((error as Error).message);
    this.#probeLater();
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref();
  }

  async #probe(): Promise<void> {
    const { primary, probe, timeoutMs, onRecovery } = this.#options;
    try {
      await withTimeout(probe(primary), timeoutMs);
      this.#isFailedOver = false;
      onRecovery();
    } catch {
      if (!this.#isClosed) this.#probeLater();
    }
  }
}

function withTimeout<T>(result: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no response in time')), ms);
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
