import {
  MessageChannel,
  type MessagePort,
  parentPort,
  type ResourceLimits,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { compiledFile } from './thread.ts';

/** A thread that is asked has ended, or does not answer in time. */
export class ThreadStopped extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ThreadStopped';
  }
}

/** What the thread's side needs. */
interface Wiring {
  readonly port: MessagePort;
  /** The number of answers so far, and whether the thread has ended. */
  readonly counters: SharedArrayBuffer;
  readonly data: unknown;
}

const ANSWERS = 0;
const ENDED = 1;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

type Reply = { readonly answer: unknown } | { readonly thrown: unknown };

/**
 * A thread of its own that keeps something, such as what a native addon has built, and answers questions one at a time:
 * `ask` blocks the thread that asks, `askLater` does not. Either takes some 50 µs more than to do it here. Its first
 * answer is what it says when it is ready to be asked. Questions and answers are copied.
 *
 * It does not keep the process alive once it has opened.
 */
export class AskedThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  readonly #patienceMs: number;
  readonly #opened: Promise<void>;
  /** Of `askLater`, in the order of the questions, which is that of the answers. */
  readonly #waiting: Waiting[] = [];
  #isListening = false;
  #late: NodeJS.Timeout | undefined;
  #taken = 0;

  /**
   * @param file as for `compiledFile`; it calls `answerQuestions`.
   * @param patienceMs how long to wait for an answer at most.
   */
  constructor(file: string, data: unknown, patienceMs: number, resourceLimits: ResourceLimits = {}) {
    const { port1, port2 } = new MessageChannel();
    const wiring: Wiring = { port: port2, counters: this.#counters.buffer as SharedArrayBuffer, data };
    this.#worker = new Worker(compiledFile(file), { workerData: wiring, transferList: [port2], resourceLimits });
    this.#port = port1;
    this.#patienceMs = patienceMs;
    const counters = this.#counters;
    // An error that ends it is told by its end.
    this.#worker.on('error', () => {});
    this.#worker.once('exit', () => {
      Atomics.store(counters, ENDED, 1);
      this.#reject('a thread has ended');
    });
    this.#opened = new Promise((resolve) => {
      this.#worker.once('message', () => resolve());
      this.#worker.once('exit', () => resolve());
    });
  }

  /** Whether it can be asked no more. */
  get hasEnded(): boolean {
    return Atomics.load(this.#counters, ENDED) === 1;
  }

  /**
   * Waits without blocking until it is ready.
   * @returns what it said then
   * @throws what it threw instead; ThreadStopped
   */
  async open(): Promise<unknown> {
    await this.#opened;
    this.#worker.unref();
    return this.#take();
  }

  /** The same for one that is needed at once: it blocks. */
  openAtOnce(): unknown {
    this.#worker.unref();
    return this.#take();
  }

  /**
   * Asks it.
   * @throws what it throws; ThreadStopped, after which it cannot be asked any more
   */
  ask(question: unknown): unknown {
    if (!this.hasEnded) this.#port.postMessage(question);
    return this.#take();
  }

  /**
   * Asks it without blocking. A question has the time to answer from when all before it have been answered.
   * @throws what it throws; ThreadStopped, after which it cannot be asked any more
   */
  askLater(question: unknown): Promise<unknown> {
    if (this.hasEnded) return Promise.reject(new ThreadStopped('a thread has ended'));
    if (!this.#isListening) {
      this.#isListening = true;
      this.#port.on('message', (reply: Reply) => {
        this.#taken += 1;
        this.#settle(reply);
      });
      this.#port.unref();
    }
    this.#port.postMessage(question);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1) this.#watch();
    });
  }

  /** How many questions of `askLater` have not been answered. */
  get unanswered(): number {
    return this.#waiting.length;
  }

  /** Ends it. */
  async close(): Promise<void> {
    Atomics.store(this.#counters, ENDED, 1);
    this.#reject('a thread has ended');
    this.#port.close();
    await this.#worker.terminate();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.shift();
    this.#watch();
    if ('thrown' in reply) waiting?.reject(reply.thrown);
    else waiting?.resolve(reply.answer);
  }

  #watch(): void {
    clearTimeout(this.#late);
    if (this.#waiting.length === 0) return;
    this.#late = setTimeout(() => {
      this.#reject(`a thread has not answered in ${this.#patienceMs} ms`);
      void this.close();
    }, this.#patienceMs).unref();
  }

  #reject(why: string): void {
    clearTimeout(this.#late);
    for (const { reject } of this.#waiting.splice(0)) reject(new ThreadStopped(why));
  }

  #take(): unknown {
    // Their answers come first.
    while (this.#waiting.length > 0) this.#settle(this.#receive());
    const reply = this.#receive();
    if ('thrown' in reply) throw reply.thrown;
    return reply.answer;
  }

  #receive(): Reply {
    const end = performance.now() + this.#patienceMs;
    while (Atomics.load(this.#counters, ANSWERS) === this.#taken) {
      const leftMs = end - performance.now();
      if (!this.hasEnded && leftMs > 0) {
        Atomics.wait(this.#counters, ANSWERS, this.#taken, leftMs);
        continue;
      }
      const why = this.hasEnded ? 'a thread has ended' : `a thread has not answered in ${this.#patienceMs} ms`;
      void this.close();
      throw new ThreadStopped(why);
    }
    this.#taken += 1;
    const reply = receiveMessageOnPort(this.#port)?.message as Reply | undefined;
    if (!reply) {
      void this.close();
      throw new ThreadStopped('a thread has ended');
    }
    return reply;
  }
}

/**
 * The other side of an `AskedThread`: answers its questions, one at a time.
 *
 * @param open gets the data of the thread, and gives what to say when it is ready and what answers questions.
 */
export async function answerQuestions<Data, Question>(
  open: (data: Data) => Promise<{ readonly ready: unknown; answer(question: Question): unknown }>,
): Promise<void> {
  const { port, counters: shared, data } = workerData as Wiring;
  const counters = new Int32Array(shared);
  const reply = (message: Reply) => {
    port.postMessage(message);
    Atomics.add(counters, ANSWERS, 1);
    Atomics.notify(counters, ANSWERS);
  };
  const told = (thrown: unknown) => ({ thrown: thrown instanceof Error ? thrown : new Error(String(thrown)) });
  process.on('exit', () => {
    Atomics.store(counters, ENDED, 1);
    // Whoever waits looks at the number of answers: it has to change for the wait to end before its time.
    Atomics.add(counters, ANSWERS, 1);
    Atomics.notify(counters, ANSWERS);
  });
  try {
    const { ready, answer } = await open(data as Data);
    port.on('message', (question: Question) => {
      try {
        reply({ answer: answer(question) });
      } catch (error) {
        reply(told(error));
      }
    });
    reply({ answer: ready });
  } catch (error) {
    reply(told(error));
  }
  parentPort?.postMessage('opened');
}
