import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Returns whether a request announces a body, even an empty one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The body of a client's request without its framing and trailers, read as fast as the service accepts it. The stream fails if
 * the client disconnects before the end. A reader that stops early destroys this stream and not the request: the client still
 * gets its response, and the rest of the body is dropped.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;
  readonly #onProgress: () => void;

  /** @param onProgress called whenever a part of the body arrives. */
  constructor(request: IncomingMessage, onProgress: () => void) {
    super();
    this.#request = request;
    this.#onProgress = onProgress;
    request.pause();
    request.on('data', this.#take).on('end', this.#end).on('close', this.#close).on('error', this.#close);
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const request = this.#request;
    request.off('data', this.#take).off('end', this.#end).off('close', this.#close);
    request.resume();
    done(error);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#onProgress();
    if (!this.push(chunk)) this.#request.pause();
  };

  readonly #end = (): void => {
    this.push(null);
  };

  readonly #close = (): void => {
    if (!this.#request.complete) this.destroy(new Error('the client went away'));
  };
}
