import { isJsonObject, parseJson } from '../json.ts';

/** The longest line that is written, in bytes with its line break. Longer ones push older lines out of logs that are rotated by size. */
export const MAX_LINE_BYTES = 16 * 1024;
const MAX_BYTES_PER_CHARACTER = 3;
/** What the field takes that says how much was cut. */
const NOTE_BYTES = 64;
/** Members of an object, at each step. */
const MAX_MEMBERS = 100;
/** Longest texts and lists that are tried, one step after the other, until the line is short enough. */
const STEPS = [
  { text: 4_096, items: 200, depth: 8 },
  { text: 1_024, items: 50, depth: 6 },
  { text: 256, items: 20, depth: 5 },
  { text: 64, items: 5, depth: 3 },
] as const;
type Step = (typeof STEPS)[number];
/** Stay in each line, wherever they stand in it; nothing else is left where nothing else helps. */
const MAIN_FIELDS = ['level', 'time', 'service', 'worker', 'request_id', 'event', 'msg'] as const;

/**
 * A complete log line of at most 16 KiB. What is longer loses the ends of its texts and lists; `cut_bytes` says how many bytes the
 * line is shorter by, that field not counted. It stays one JSON object.
 */
export function boundedLine(line: string): string {
  if (line.length * MAX_BYTES_PER_CHARACTER <= MAX_LINE_BYTES) return line;
  const bytes = Buffer.byteLength(line);
  return bytes <= MAX_LINE_BYTES ? line : cutLine(line, bytes);
}

function cutLine(line: string, bytes: number): string {
  const parsed = parseJson(line);
  const fields = isJsonObject(parsed) ? parsed : { msg: line };
  for (const step of STEPS) {
    const text = JSON.stringify({ ...(cutValue(fields, step, step.depth) as object), ...mainFields(fields, step) });
    if (Buffer.byteLength(text) <= MAX_LINE_BYTES - NOTE_BYTES) return noted(text, bytes);
  }
  return noted(JSON.stringify(mainFields(fields, STEPS[3])), bytes);
}

function mainFields(fields: Readonly<Record<string, unknown>>, step: Step): object {
  return Object.fromEntries(
    MAIN_FIELDS.filter((name) => name in fields).map((name) => [name, cutValue(fields[name], step, 0)]),
  );
}

/** @param text of a JSON object. */
function noted(text: string, bytes: number): string {
  const cut = bytes - Buffer.byteLength(text) - 1;
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}"cut_bytes":${cut}}\n`;
}

function cutValue(value: unknown, step: Step, depth: number): unknown {
  if (typeof value === 'string') return value.length > step.text ? `${value.slice(0, step.text)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, step.items).map((item) => cutValue(item, step, depth - 1));
    return value.length > step.items ? [...items, `… (${value.length - step.items} more)`] : items;
  }
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    members.map(([name, member]) => [name.slice(0, step.text), cutValue(member, step, depth - 1)]),
  );
}
