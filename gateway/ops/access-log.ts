import type { Exchange } from '../http/index.ts';

/** Writes one line for each request when it is over. The query string is left out: it may hold what is secret. */
export function logAccess(exchange: Exchange): void {
  const startedAt = process.hrtime.bigint();
  const { request, response, path, clientAddress, log } = exchange;
  response.once('close', () => {
    log.info(
      {
        type: 'http-log',
        method: request.method,
        path,
        ip: clientAddress,
        status: response.writableFinished ? response.statusCode : 499,
        duration_ms: Number(process.hrtime.bigint() - startedAt) / 1e6,
      },
      'request',
    );
  });
}
