import { type Logger, lineWriter } from '../../platform/index.ts';
import type { Exchange } from '../http/index.ts';

/** Writes one line for each request when it is over. */
export type AccessLog = (exchange: Exchange) => void;

/**
 * An access log on the level `info`. Its lines look like those of `log`; they are made by hand, because for every request
 * one is made. The query string is left out: it may hold what is secret.
 */
export function createAccessLog(log: Logger): AccessLog {
  if (!log.isLevelEnabled('info')) return () => {};
  const destination = lineWriter(log);
  const before = `{"level":"info","time":"`;
  const after = `",${JSON.stringify(log.bindings()).slice(1, -1)},"request_id":"`;
  let second = 0;
  let time = '';

  /** The time now as ISO 8601: within one second only the milliseconds differ. */
  function isoTime(): string {
    const now = Date.now();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      time = new Date(second).toISOString().slice(0, -4);
    }
    return `${time}${String(milliseconds).padStart(3, '0')}Z`;
  }

  return (exchange) => {
    const startedAt = performance.now();
    exchange.onClose(() => {
      const { request, response, requestId, path, clientAddress } = exchange;
      const status = response.writableFinished ? response.statusCode : 499;
      const duration = (performance.now() - startedAt).toFixed(3);
      destination.write(
        // The request id has been looked at, and the method is one that node knows.
        `${before}${isoTime()}${after}${requestId}","type":"http-log","method":"${request.method}","path":${JSON.stringify(path)},"ip":${JSON.stringify(clientAddress)},"status":${status},"duration_ms":${duration},"msg":"request"}\n`,
      );
    });
  };
}
