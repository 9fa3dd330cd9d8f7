import { Pool } from 'undici';

export interface UpstreamRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For the whole exchange, in milliseconds. */
  timeoutMs: number;
  /** Aborts the exchange: the client for whom it is made has gone. */
  signal?: AbortSignal | undefined;
}

export interface UpstreamResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  /** The bytes as UTF-8 text. */
  readonly body: string;
}

/** Why an upstream gave no usable answer. Its message is for logs; it may hold addresses. */
export class UpstreamError extends Error {
  constructor(
    readonly reason: 'timeout' | 'connection' | 'too-large' | 'aborted',
    cause?: unknown,
  ) {
    // A name with several addresses fails with an error that has a code and no message.
    const { message, code } = (cause ?? {}) as { message?: string; code?: string };
    super([reason, message || code].filter(Boolean).join(': '), { cause });
    this.name = 'UpstreamError';
  }
}

export interface UpstreamHttp {
  /** @throws UpstreamError when there is no complete answer; any status is an answer. */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 128;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** One keep-alive connection pool per upstream origin, shared by every source. */
export function openUpstreamHttp(): UpstreamHttp {
  const pools = new Map<string, Pool>();

  function poolFor(origin: string): Pool {
    let pool = pools.get(origin);
    if (!pool) {
      pool = new Pool(origin, { connections: CONNECTIONS_PER_ORIGIN, pipelining: 1, connect: { timeout: 5_000 } });
      pools.set(origin, pool);
    }
    return pool;
  }

  async function send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { origin, pathname, search } = new URL(request.url);
    const deadline = AbortSignal.timeout(request.timeoutMs);
    try {
      const response = await poolFor(origin).request({
        path: pathname + search,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal ? AbortSignal.any([request.signal, deadline]) : deadline,
        headersTimeout: request.timeoutMs,
        bodyTimeout: request.timeoutMs,
      });
      return answer(response.statusCode, response.headers, await readBytes(response.body));
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      if (request.signal?.aborted) throw new UpstreamError('aborted', error);
      const timedOut = deadline.aborted || /Timeout/.test((error as Error).name);
      throw new UpstreamError(timedOut ? 'timeout' : 'connection', error);
    }
  }

  return {
    send,
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function answer(status: number, headers: UpstreamResponse['headers'], bytes: Buffer): UpstreamResponse {
  return {
    status,
    headers,
    bytes,
    get body() {
      return bytes.toString('utf8');
    },
  };
}

async function readBytes(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      body.destroy();
      throw new UpstreamError('too-large');
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
