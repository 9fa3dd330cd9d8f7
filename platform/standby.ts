const PROBE_EVERY_MS = 1_000;

interface Closable {
  close(): void;
}

export interface StandbyOptions<Service extends Closable> {
  /** The service that may fail. */
  readonly primary: Service;
  /** What answers while it does. */
  readonly substitute: Service;
  /** How long the primary may take for an answer, in milliseconds. */
  readonly answerWithinMs: number;
  /** Asks the primary for something harmless. */
  readonly probe: (primary: Service) => Promise<unknown>;
  readonly onLost: (reason: string) => void;
  readonly onBack: () => void;
}

/**
 * A service that survives the loss of its primary. The first failure, or answer that takes too long, puts the substitute
 * in its place. From then on nobody waits for the primary but a probe in the background, and when that is answered the
 * primary is back.
 */
export class Standby<Service extends Closable> {
  readonly #options: StandbyOptions<Service>;
  #isLost = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StandbyOptions<Service>) {
    this.#options = options;
  }

  /** Asks the primary, and the substitute where that does not answer. */
  async ask<Answer>(question: (service: Service) => Promise<Answer>): Promise<Answer> {
    const { primary, substitute } = this.#options;
    if (!this.#isLost)
      try {
        return await this.ofPrimary(question(primary));
      } catch {
        // Whoever is told of the loss has been; the question is still to be answered.
      }
    return question(substitute);
  }

  /** An answer that only the primary can give. @throws Error when it fails or takes too long; the primary is lost then. */
  async ofPrimary<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await inTime(answer, this.#options.answerWithinMs);
    } catch (error) {
      this.#lose(error);
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#options.primary.close();
    this.#options.substitute.close();
  }

  #lose(error: unknown): void {
    if (this.#isLost || this.#isClosed) return;
    this.#isLost = true;
    this.#options.onLost((error as Error).message);
    this.#probeLater();
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), PROBE_EVERY_MS).unref();
  }

  async #probe(): Promise<void> {
    const { primary, probe, answerWithinMs, onBack } = this.#options;
    try {
      await inTime(probe(primary), answerWithinMs);
      this.#isLost = false;
      onBack();
    } catch {
      if (!this.#isClosed) this.#probeLater();
    }
  }
}

function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
