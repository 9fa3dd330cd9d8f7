import { type Logger, lineWriter, logJson } from '../../../platform/index.ts';
import { type HttpExchange, type OperationLog, RequestRecord } from '../../transports/http/index.ts';
import { PROBE_PATHS } from './probes.ts';
import { RecordFields } from './record-fields.ts';

/** The most characters of a path in the log. */
const MAX_PATH = 1_024;
/** Includes the zone of an IPv6 address. */
const MAX_ADDRESS = 128;

/** Log lines about clients' requests. docs/logs.md describes their fields. */
export interface AccessLog {
  /** Records a request, and writes a line when it has ended. */
  readonly request: (exchange: HttpExchange) => void;
  /** Writes a line about an operation that does not end with its HTTP request. */
  readonly operation: OperationLog;
}

/**
 * Creates an access log on the level `info`. Its lines look like those of `log`, but are built by hand, since every request has
 * one. Probes with status 200 are logged only on the level `debug`. The query string is left out, since it may contain secrets.
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

  /** Returns the current time in ISO 8601. Within a second, only the milliseconds are replaced. */
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
        // These values need no escaping: the request id has been validated, and Node.js has parsed the method.
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
