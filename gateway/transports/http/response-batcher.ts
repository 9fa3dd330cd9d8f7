import type { ServerResponse } from 'node:http';
import { ImmediateQueue, type Logger } from '../../../platform/index.ts';

/** Bodies of more bytes are not copied. */
export const MAX_COPIED = 16_384;

/** What is left to be written of a response. */
export interface PendingResponse {
  readonly response: ServerResponse;
  readonly chunks: readonly Buffer[];
}

/** Ends responses, those of a turn of the event loop together. */
export type ResponseBatcher = ImmediateQueue<PendingResponse>;

/** @param log for responses that cannot be ended: their connections are closed. */
export function openResponseBatcher(log: Logger): ResponseBatcher {
  return new ImmediateQueue(endResponse, ({ response }, error) => {
    log.error({ event: 'response.failed', err: error }, 'failed to write a response');
    response.destroy();
  });
}

export function endResponse({ response, chunks }: PendingResponse): void {
  const [first] = chunks;
  if (first && first.length <= MAX_COPIED && chunks.length === 1) {
    // Node writes a text together with the head, and bytes beside it, which costs more than the copy. In Latin-1 a
    // character is a byte, whatever the bytes mean.
    response.end(first.toString('latin1'), 'latin1');
    return;
  }
  response.cork();
  for (const chunk of chunks) response.write(chunk);
  response.end();
}
