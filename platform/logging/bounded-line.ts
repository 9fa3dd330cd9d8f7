import { isJsonObject, parseJson } from '../json.ts';

/**
 * The longest line in bytes, including its line break. Longer lines would push older ones out of logs that are rotated by size.
 */
export const MAX_LINE_BYTES = 16 * 1024;
const MAX_BYTES_PER_CHARACTER = 3;
/** The size of the field that states how much was cut. */
const NOTE_BYTES = 64;
/** The most members of an object, in each step. */
const MAX_MEMBERS = 100;
/** The limits of texts and lists. They are tried step by step until the line is short enough. */
const STEPS = [
  { text: 4_096, items: 200, depth: 8 },
  { text: 1_024, items: 50, depth: 6 },
  { text: 256, items: 20, depth: 5 },
  { text: 64, items: 5, depth: 3 },
] as const;
type Step = (typeof STEPS)[number];
/** Fields that stay in each line, wherever they are. If no step is enough, only these are kept. */
const MAIN_FIELDS = ['level', 'time', 'service', 'worker', 'request_id', 'event', 'msg'] as const;

/**
 * Returns a complete log line of at most 16 KiB. In a longer one, texts and lists are truncated, and `cut_bytes` is the number
 * of omitted bytes, without that field. The line remains a JSON object.
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
