import { parseJson } from '../../../platform/index.ts';

/**
 * Reads the items of a session variable that contains a list: a JSON array, or a PostgreSQL array literal, which is the
 * form that lists of a token have. An item is a text, or null. Items of JSON that are not texts become JSON text.
 *
 * @returns undefined if the text is not a list, or if a number in it has lost digits.
 */
export function listItems(text: string): readonly (string | null)[] | undefined {
  const list = text.startsWith('{') ? undefined : parseJson(text);
  if (!Array.isArray(list)) return readArrayLiteral(text);
  if (list.some((item) => typeof item === 'number' && Math.abs(item) > Number.MAX_SAFE_INTEGER)) return undefined;
  return list.map((item) => (typeof item === 'string' || item === null ? item : JSON.stringify(item)));
}

const QUOTED_ITEM = /\s*"((?:[^"\\]|\\.)*)"\s*/sy;
const BARE_ITEM = /[^",{}\\]+/y;

/**
 * Reads a PostgreSQL array literal (PostgreSQL 8.15.2): comma-separated items in braces. Quoted items may contain any
 * character. The time is proportional to the length, since callers influence the text.
 */
function readArrayLiteral(text: string): readonly (string | null)[] | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  const content = text.slice(1, -1);
  if (content.trim() === '') return [];
  const items: (string | null)[] = [];
  for (let at = 0; ; at += 1) {
    QUOTED_ITEM.lastIndex = at;
    BARE_ITEM.lastIndex = at;
    const [quoted, inner] = QUOTED_ITEM.exec(content) ?? [];
    const bare = quoted === undefined ? BARE_ITEM.exec(content)?.[0] : undefined;
    const item = inner === undefined ? bare?.trim() : inner.replace(/\\(.)/gs, '$1');
    if (item === undefined || (bare !== undefined && item === '')) return undefined;
    items.push(bare !== undefined && item === 'NULL' ? null : item);
    at += (quoted ?? bare ?? '').length;
    if (at === content.length) return items;
    if (content[at] !== ',') return undefined;
  }
}
