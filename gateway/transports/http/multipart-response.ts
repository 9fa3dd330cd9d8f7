import type { HttpExchange } from './http-exchange.ts';
import { bodyChunks, type ResponseHeaders, setOwnHeaders } from './respond.ts';

/** The source of parts, which can be paused. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** JSON has no line that begins with two dashes and this boundary. */
const BOUNDARY = '-';
const MULTIPART_TYPE = `multipart/mixed; boundary="${BOUNDARY}"`;
const PART_DELIMITER = `\r\n--${BOUNDARY}`;
const LAST = '--\r\n';
const MULTIPART_HEADERS: ResponseHeaders = {
  'cache-control': 'no-store',
  // Keeps proxies from buffering the response.
  'x-accel-buffering': 'no',
};

/**
 * A response of JSON parts, each sent as soon as it is available (incremental delivery over HTTP). `flow` is paused while the
 * client does not read.
 */
export class MultipartResponse {
  readonly #exchange: HttpExchange;
  readonly #response: HttpExchange['response'];
  readonly #flow: Flow;
  #isPaused = false;

  /** @param parameters of the content type in addition to the boundary, each preceded by a semicolon. */
  constructor(exchange: HttpExchange, headers: ResponseHeaders, parameters: string, flow: Flow) {
    const { response } = exchange;
    this.#exchange = exchange;
    this.#response = response;
    this.#flow = flow;
    setOwnHeaders(exchange);
    response.writeHead(200, {
      ...MULTIPART_HEADERS,
      ...(headers as Record<string, string | string[]>),
      'content-type': `${MULTIPART_TYPE}${parameters}`,
    });
    response.write(PART_DELIMITER);
  }

  /** Sends a part and the delimiter that tells clients that the part is complete. */
  part(json: Buffer): void {
    const response = this.#response;
    if (response.destroyed) return;
    // The socket and not the response is corked: Node 22 emits no `drain` after the response is uncorked if the connection
    // accepts the data immediately.
    const { socket } = response;
    socket?.cork();
    response.write(headOfPart(json));
    response.write(json);
    const hasRoom = response.write(PART_DELIMITER);
    if (!hasRoom) this.#pause();
    socket?.uncork();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#flow.pause();
    this.#response.once('drain', () => {
      this.#isPaused = false;
      this.#flow.resume();
    });
  }

  end(): void {
    if (this.#response.destroyed) return;
    this.#exchange.watchReading();
    this.#response.end(LAST);
  }
}

/**
 * Formats a complete response as a single part, for clients that accept no other format. @param answer a value or its bytes.
 */
export function answerOfOnePart(answer: unknown): { readonly body: readonly Buffer[]; readonly type: string } {
  const json = Buffer.concat(bodyChunks(answer));
  return {
    body: [Buffer.from(`${PART_DELIMITER}${headOfPart(json)}`), json, Buffer.from(`${PART_DELIMITER}${LAST}`)],
    type: MULTIPART_TYPE,
  };
}

function headOfPart({ length }: Buffer): string {
  return `\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${length}\r\n\r\n`;
}
