import { isJsonObject } from '../platform/index.ts';

/** Fields of a log entry that are left out or shown elsewhere in the line. */
const QUIET_FIELDS = new Set(['level', 'time', 'service', 'msg', 'err', 'pid', 'hostname']);

/**
 * A log entry as a readable line: `gateway warn: orders is not reachable (request_id=…)`. Text that is no JSON log entry is
 * unchanged behind the name of the service. pino-pretty has 13 dependencies for what these 30 lines do.
 */
export function readableLogLine(service: string, line: string): string {
  const entry = parseLogEntry(line);
  if (!entry) return `${service}: ${line}`;
  const error = isJsonObject(entry.err) ? entry.err.message : undefined;
  const message = [entry.msg, error].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const details = Object.entries(entry)
    .filter(([name, value]) => !QUIET_FIELDS.has(name) && !isTextList(value))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const tail = details.length > 0 ? ` (${details.join(' ')})` : '';
  const lists = Object.values(entry).flatMap((value) => (isTextList(value) ? value : []));
  return [`${service} ${String(entry.level)}: ${message}${tail}`, ...lists].join('\n  ');
}

/** Problems and warnings of metadata, one line each below the entry's. */
function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function parseLogEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return isJsonObject(entry) && 'level' in entry ? entry : undefined;
  } catch {
    return undefined;
  }
}
