import type { ExecutionResult, GraphQLError } from 'graphql';

/** The stream of events ended by a failure. Its errors are for the client. */
export class SourceEventsEnded extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join('; '));
    this.name = 'SourceEventsEnded';
    this.errors = errors;
  }
}

/** The connection that events come over. */
export interface EventConnection {
  /** Stops reading, so that the source has to wait. */
  pause(): void;
  resume(): void;
  /** The consumer has cancelled. */
  close(): void;
}

/** The consumer that waits for the next event. */
interface Taker {
  resolve(taken: IteratorResult<ExecutionResult>): void;
  reject(error: Error): void;
}

/**
 * The most queued events, and the greatest length of their texts; beyond either, the connection is not read further.
 */
const MANY = 16;
const LONG = 65_536;

/**
 * The events of one subscription to a source, in the order of arrival, with backpressure: while too many events are
 * queued, the connection is not read. `return` ends it at once, also while `next` is pending.
 */
export class SourceEvents implements AsyncIterableIterator<ExecutionResult> {
  readonly #waiting: ExecutionResult[] = [];
  #connection: EventConnection | undefined;
  #taker: Taker | undefined;
  /** The size of what has come since nothing waited. */
  #length = 0;
  #isPaused = false;
  #isOver = false;
  #failure: SourceEventsEnded | undefined;

  /** Whether there will be no more events. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sets the connection that the events come over. */
  connect(connection: EventConnection): void {
    if (this.#isOver) connection.close();
    else this.#connection = connection;
  }

  /** @param length of its text. */
  push(event: ExecutionResult, length: number): void {
    if (this.#isOver) return;
    if (this.#taker) {
      this.#give((taker) => taker.resolve({ value: event, done: false }));
      return;
    }
    this.#waiting.push(event);
    this.#length = this.#waiting.length === 1 ? length : this.#length + length;
    if (this.#isPaused || (this.#waiting.length < MANY && this.#length < LONG)) return;
    this.#isPaused = true;
    this.#connection?.pause();
  }

  /** The source has no more events. Those that wait can still be taken. */
  end(): void {
    this.#finish();
  }

  /** Ends the stream with an error for the client, after the queued events. */
  fail(errors: readonly GraphQLError[]): void {
    if (!this.#isOver) this.#failure = new SourceEventsEnded(errors);
    this.#finish();
  }

  next(): Promise<IteratorResult<ExecutionResult>> {
    const event = this.#waiting.shift();
    if (event !== undefined) {
      if (this.#isPaused && this.#waiting.length === 0) {
        this.#isPaused = false;
        this.#connection?.resume();
      }
      return Promise.resolve({ value: event, done: false });
    }
    if (!this.#isOver) {
      return new Promise((resolve, reject) => {
        this.#taker = { resolve, reject };
      });
    }
    const failure = this.#failure;
    this.#failure = undefined;
    return failure ? Promise.reject(failure) : Promise.resolve({ value: undefined, done: true });
  }

  return(): Promise<IteratorResult<ExecutionResult>> {
    this.#waiting.length = 0;
    this.#failure = undefined;
    this.#finish();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #give(give: (taker: Taker) => void): void {
    const taker = this.#taker;
    this.#taker = undefined;
    if (taker) give(taker);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection?.close();
    this.#connection = undefined;
    const failure = this.#failure;
    this.#give((taker) => {
      this.#failure = undefined;
      if (failure) taker.reject(failure);
      else taker.resolve({ value: undefined, done: true });
    });
  }
}

/** Converts each event when it is read. */
export function mapEvents<Event, Mapped>(
  events: AsyncIterator<Event>,
  map: (event: Event) => Mapped | Promise<Mapped>,
): AsyncIterableIterator<Mapped> {
  const mapped: AsyncIterableIterator<Mapped> = {
    next: async () => {
      const { done, value } = await events.next();
      return done ? { done, value: undefined } : { done: false, value: await map(value) };
    },
    return: async () => {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => mapped,
  };
  return mapped;
}

/**
 * A stream of events that is opened later, for which its first `next` waits. One that is ended before is not opened.
 *
 * @param opening gives what opens it
 */
export function laterEvents<Event>(opening: Promise<() => AsyncIterator<Event>>): AsyncIterator<Event> {
  let events: AsyncIterator<Event> | undefined;
  let isOver = false;
  const opened = opening.then((open) => {
    if (!isOver) events = open();
  });
  // It is reported to those who read the events.
  opened.catch(() => {});
  return {
    next: async () => {
      await opened;
      return events ? events.next() : { done: true, value: undefined };
    },
    return: async () => {
      isOver = true;
      await events?.return?.();
      return { done: true, value: undefined };
    },
  };
}

/** A stream of events that fails at its first `next`. */
export function failedEvents(errors: readonly GraphQLError[]): SourceEvents {
  const events = new SourceEvents();
  events.fail(errors);
  return events;
}
