import { type Logger, lineWriter, logJson } from '../../../platform/index.ts';
import { type HttpExchange, type OperationLog, RequestRecord } from '../../transports/http/index.ts';
import { PROBE_PATHS } from './probes.ts';
import { RecordFields } from './record-fields.ts';

/** Characters of a path that are logged. */
const MAX_PATH = 1_024;
/** With the zone of an IPv6 address. */
const MAX_ADDRESS = 128;

/** Lines about what clients ask for; docs/logs.md has their fields. */
export interface AccessLog {
  /** Records a request, and writes a line when it is over. */
  readonly request: (exchange: HttpExchange) => void;
  /** Writes a line about an operation that does not end with a request of its own. */
  readonly operation: OperationLog;
}

/**
 * An access log on the level `info`. Its lines look like those of `log`; they are made by hand, because for every request
 * one is made. Probes that are answered by 200 have none, unless on the level `debug`. The query string is left out: it may hold what is secret.
 */
export function createAccessLog(log: Logger): AccessLog {
  if (!log.isLevelEnabled('info')) return { request: () => {}, operation: undefined };
  const destination = lineWriter(log);
  const fields = new RecordFields();
  const before = `{"level":"info","time":"`;
  const after = `",${JSON.stringify(log.bindings()).slice(1, -1)},"request_id":"`;
  const skipsProbes = !log.isLevelEnabled('debug');
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

  function request(exchange: HttpExchange): void {
    const record = new RequestRecord();
    exchange.record = record;
    exchange.onClose((durationMs) => {
      const { request, response, requestId, path, clientAddress, span } = exchange;
      const status = response.writableFinished ? response.statusCode : 499;
      if (skipsProbes && status === 200 && PROBE_PATHS.has(path)) return;
      const duration = durationMs.toFixed(3);
      destination.write(
        // The request id has been validated, and the method is one that Node.js parses.
        `${before}${isoTime()}${after}${requestId}"${span?.logFields ?? ''},"type":"http-log","event":"request.completed","method":"${request.method}","path":${logJson(path, MAX_PATH)},"ip":${logJson(clientAddress, MAX_ADDRESS)},"status":${status},"duration_ms":${duration}${fields.write(record, request.headers)},"msg":"request"}\n`,
      );
    });
  }

  const operation: OperationLog = (ended) => {
    const { event, requestId, operationId, clientAddress, headers, record, durationMs, span } = ended;
    const id = operationId === undefined ? '' : `"operation_id":"${operationId}",`;
    const duration = durationMs === undefined ? '' : `,"duration_ms":${durationMs.toFixed(3)}`;
    destination.write(
      `${before}${isoTime()}${after}${requestId}"${span?.logFields ?? ''},${id}"type":"operation-log","event":"${event}","ip":${logJson(clientAddress, MAX_ADDRESS)}${duration}${fields.write(record, headers)},"msg":"${EVENT_MESSAGES[event]}"}\n`,
    );
  };

  return { request, operation };
}

const EVENT_MESSAGES = {
  'subscription.started': 'a subscription has started',
  'operation.ended': 'an operation has ended',
} as const;
