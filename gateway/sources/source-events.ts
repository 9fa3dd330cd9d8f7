import type { ExecutionResult, GraphQLError } from 'graphql';

/** A failure ended the stream of events. The errors are for the client. */
export class SourceEventsEnded extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors.map(({ message }) => message).join('; '));
    this.name = 'SourceEventsEnded';
    this.errors = errors;
  }
}

/** The connection over which events arrive. */
export interface EventConnection {
  /** Stops reading, so that the source has to wait. */
  pause(): void;
  resume(): void;
  /** Closes the connection because the consumer has cancelled. */
  close(): void;
}

/** A consumer that waits for the next event. */
interface Taker<Event> {
  resolve(taken: IteratorResult<Event>): void;
  reject(error: Error): void;
}

/**
 * The maximum number of queued events and the maximum length of their texts. Beyond either, reading from the connection
 * stops.
 */
const MANY = 16;
const LONG = 65_536;

/**
 * The events of one subscription to a source in order of arrival, with backpressure: the connection is not read while
 * too many events are queued. `return` ends the events immediately, even while `next` is pending.
 */
export class SourceEvents<Event = ExecutionResult> implements AsyncIterableIterator<Event> {
  readonly #waiting: Event[] = [];
  #connection: EventConnection | undefined;
  #taker: Taker<Event> | undefined;
  /** The total length of events since the queue was last empty. */
  #length = 0;
  #isPaused = false;
  #isOver = false;
  #failure: SourceEventsEnded | undefined;

  /** Whether no more events will arrive. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sets the connection over which events arrive. */
  connect(connection: EventConnection): void {
    if (this.#isOver) connection.close();
    else this.#connection = connection;
  }

  /** @param length the length of the event's text. */
  push(event: Event, length: number): void {
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

  /** Ends the stream. Queued events can still be read. */
  end(): void {
    this.#finish();
  }

  /** Ends the stream with an error for the client, after the queued events. */
  fail(errors: readonly GraphQLError[]): void {
    if (!this.#isOver) this.#failure = new SourceEventsEnded(errors);
    this.#finish();
  }

  next(): Promise<IteratorResult<Event>> {
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

  return(): Promise<IteratorResult<Event>> {
    this.#waiting.length = 0;
    this.#failure = undefined;
    this.#finish();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #give(give: (taker: Taker<Event>) => void): void {
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
 * Creates a stream of events that opens later. The first `next` waits until the stream is open. If the stream is ended
 * before that, it is never opened.
 *
 * @param opening resolves to the function that opens the stream
 */
export function laterEvents<Event>(opening: Promise<() => AsyncIterator<Event>>): AsyncIterator<Event> {
  let events: AsyncIterator<Event> | undefined;
  let isOver = false;
  const opened = opening.then((open) => {
    if (!isOver) events = open();
  });
  // `next` reports the failure to its caller.
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

/** Creates a stream of events whose first `next` fails. */
export function failedEvents<Event = ExecutionResult>(errors: readonly GraphQLError[]): SourceEvents<Event> {
  const events = new SourceEvents<Event>();
  events.fail(errors);
  return events;
}
