import {
  MessageChannel,
  type MessagePort,
  parentPort,
  type ResourceLimits,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import { compiledFile } from './own-code/index.ts';

/** The thread has ended, or has not responded in time. */
export class ThreadStopped extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ThreadStopped';
  }
}

/** The `workerData` of the thread. */
interface RpcWorkerData {
  readonly port: MessagePort;
  /** The number of results so far, and whether the thread has ended. */
  readonly counters: SharedArrayBuffer;
  readonly data: unknown;
}

const RESULT_COUNTER = 0;
const ENDED = 1;

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Reply = { readonly result: unknown } | { readonly thrown: unknown };

/**
 * Remote procedure calls to a worker thread that keeps state, such as objects of a native addon, and handles one call at a
 * time. `callSync` blocks the calling thread, `call` does not. Either costs some 50 µs more than the work itself. Arguments
 * and results are copied. The thread's first message is the result of opening it.
 *
 * It does not keep the process alive once it is open. Why not piscina, which hashes passwords here: it cannot block the
 * caller until a result is there, and its workers take any task, while these calls belong to the state of one thread.
 */
export class RpcThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #counters = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  readonly #timeoutMs: number;
  readonly #opened: Promise<void>;
  /** Of `call`, in order; results arrive in the same order. */
  readonly #waiting: PendingCall[] = [];
  #isListening = false;
  #late: NodeJS.Timeout | undefined;
  #taken = 0;

  /**
   * @param file as for `compiledFile`; it calls `serveCalls`.
   * @param timeoutMs the timeout of each call.
   */
  constructor(file: string, data: unknown, timeoutMs: number, resourceLimits: ResourceLimits = {}) {
    const { port1, port2 } = new MessageChannel();
    const rpcData: RpcWorkerData = { port: port2, counters: this.#counters.buffer as SharedArrayBuffer, data };
    this.#worker = new Worker(compiledFile(file), { workerData: rpcData, transferList: [port2], resourceLimits });
    this.#port = port1;
    this.#timeoutMs = timeoutMs;
    const counters = this.#counters;
    // The exit that follows rejects the calls.
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

  /** Whether it takes no more calls. */
  get hasEnded(): boolean {
    return Atomics.load(this.#counters, ENDED) === 1;
  }

  /**
   * Waits without blocking until the thread is ready.
   * @returns the result of opening it
   * @throws what opening it threw; ThreadStopped
   */
  async open(): Promise<unknown> {
    await this.#opened;
    this.#worker.unref();
    return this.#take();
  }

  /** Blocks until the thread is ready; otherwise as `open`. */
  openSync(): unknown {
    this.#worker.unref();
    return this.#take();
  }

  /**
   * Calls the thread and blocks until its result is there.
   * @throws what the call throws; ThreadStopped, after which there are no more calls
   */
  callSync(argument: unknown): unknown {
    if (!this.hasEnded) this.#port.postMessage(argument);
    return this.#take();
  }

  /**
   * Calls the thread without blocking. The timeout of a call begins when the calls before it have ended.
   * @throws what the call throws; ThreadStopped, after which there are no more calls
   */
  call(argument: unknown): Promise<unknown> {
    if (this.hasEnded) return Promise.reject(new ThreadStopped('a thread has ended'));
    if (!this.#isListening) {
      this.#isListening = true;
      this.#port.on('message', (reply: Reply) => {
        this.#taken += 1;
        this.#settle(reply);
      });
      this.#port.unref();
    }
    this.#port.postMessage(argument);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1) this.#watch();
    });
  }

  /** The number of `call`s without a result yet. */
  get pending(): number {
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
    else waiting?.resolve(reply.result);
  }

  #watch(): void {
    clearTimeout(this.#late);
    if (this.#waiting.length === 0) return;
    this.#late = setTimeout(() => {
      this.#reject(`a thread has not responded in ${this.#timeoutMs} ms`);
      void this.close();
    }, this.#timeoutMs).unref();
  }

  #reject(why: string): void {
    clearTimeout(this.#late);
    for (const { reject } of this.#waiting.splice(0)) reject(new ThreadStopped(why));
  }

  #take(): unknown {
    // The results of earlier calls come first.
    while (this.#waiting.length > 0) this.#settle(this.#receive());
    const reply = this.#receive();
    if ('thrown' in reply) throw reply.thrown;
    return reply.result;
  }

  #receive(): Reply {
    const end = performance.now() + this.#timeoutMs;
    while (Atomics.load(this.#counters, RESULT_COUNTER) === this.#taken) {
      const leftMs = end - performance.now();
      if (!this.hasEnded && leftMs > 0) {
        Atomics.wait(this.#counters, RESULT_COUNTER, this.#taken, leftMs);
        continue;
      }
      const why = this.hasEnded ? 'a thread has ended' : `a thread has not responded in ${this.#timeoutMs} ms`;
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
 * The thread's side of an `RpcThread`: handles its calls, one at a time.
 *
 * @param open gets the data of the thread; returns the result of opening it and the handler of calls.
 */
export async function serveCalls<Data, Argument>(
  open: (data: Data) => Promise<{ readonly ready: unknown; handle(argument: Argument): unknown }>,
): Promise<void> {
  const { port, counters: shared, data } = workerData as RpcWorkerData;
  const counters = new Int32Array(shared);
  const reply = (message: Reply) => {
    port.postMessage(message);
    Atomics.add(counters, RESULT_COUNTER, 1);
    Atomics.notify(counters, RESULT_COUNTER);
  };
  const failure = (thrown: unknown) => ({ thrown: thrown instanceof Error ? thrown : new Error(String(thrown)) });
  process.on('exit', () => {
    Atomics.store(counters, ENDED, 1);
    // `Atomics.wait` watches the number of results: it has to change for the wait to end before its timeout.
    Atomics.add(counters, RESULT_COUNTER, 1);
    Atomics.notify(counters, RESULT_COUNTER);
  });
  try {
    const { ready, handle } = await open(data as Data);
    port.on('message', (argument: Argument) => {
      try {
        reply({ result: handle(argument) });
      } catch (error) {
        reply(failure(error));
      }
    });
    reply({ result: ready });
  } catch (error) {
    reply(failure(error));
  }
  parentPort?.postMessage('opened');
}
