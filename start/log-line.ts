/** Fields of a log entry that a person at a terminal does not need, or sees anyway. */
const QUIET_FIELDS = new Set(['level', 'time', 'service', 'msg', 'err', 'pid', 'hostname']);

/**
 * One log entry of a service for people: `gateway warn: orders is not reachable (request_id=…)`.
 * What is not a JSON log entry stays as it is, behind the service's name.
 */
export function readableLogLine(service: string, line: string): string {
  const entry = parse(line);
  if (!entry) return `${service}: ${line}`;
  const error = isRecord(entry.err) ? entry.err.message : undefined;
  const message = [entry.msg, error].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const details = Object.entries(entry)
    .filter(([name]) => !QUIET_FIELDS.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const tail = details.length > 0 ? ` (${details.join(' ')})` : '';
  return `${service} ${String(entry.level)}: ${message}${tail}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) && 'level' in entry ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
