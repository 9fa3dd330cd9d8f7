import type { ServerResponse } from 'node:http';
import { ImmediateQueue, type Logger } from '../../../platform/index.ts';

/** Larger bodies are not copied. */
export const MAX_COPIED = 16_384;

/** The unwritten rest of a response. */
export interface PendingResponse {
  readonly response: ServerResponse;
  readonly chunks: readonly Buffer[];
}

/** Ends responses. Those of one turn of the event loop are ended together. */
export type ResponseBatcher = ImmediateQueue<PendingResponse>;

/** @param log for responses that fail to end. Their connections are closed. */
export function openResponseBatcher(log: Logger): ResponseBatcher {
  return new ImmediateQueue(endResponse, ({ response }, error) => {
    log.error({ event: 'response.failed', err: error }, 'failed to write a response');
    response.destroy();
  });
}

export function endResponse({ response, chunks }: PendingResponse): void {
  const [first] = chunks;
  if (first && first.length <= MAX_COPIED && chunks.length === 1) {
    // Node.js writes a string together with the head, but bytes separately, which costs more than the copy. In Latin-1 each
    // character is one byte, whatever the bytes mean.
    response.end(first.toString('latin1'), 'latin1');
    return;
  }
  response.cork();
  for (const chunk of chunks) response.write(chunk);
  response.end();
}
