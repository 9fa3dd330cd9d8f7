import { CLOSING_BRACE, isJsonObject, OPENING_BRACE, parseServiceJson, WHITE_SPACE } from '../../../platform/index.ts';
import type { IncrementalPayload, ParsedPayload } from '../compiled-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { relayedErrors, takeHttpHints } from './remote-response.ts';

/*
 * There are two formats of payloads. The format of August 2022 has `incremental` with paths. In the format of the
 * current proposal, `pending` gives each deferred result an id and `completed` ends it. Both formats have `hasNext` and
 * have errors in the same places.
 */

const ERRORS_KEY = Buffer.from('"errors"');
/** The first letter `e` is left out, because it occurs too often for a fast search. */
const EXTENSIONS_KEY = Buffer.from('xtensions"');
const PENDING = Buffer.from('"pending"');
const COMPLETED = Buffer.from('"completed"');
const HAS_NEXT = Buffer.from('"hasNext"');
const TRUE = /^\s*:\s*true/;
const FALSE = /^\s*:\s*false/;
/** Space for a colon, a value and some white space. */
const VALUE_LENGTH = 32;

/** Whether a payload may have `hasNext: true`. A field of its data may have the same name. */
export function mayHaveNext(bytes: Buffer): boolean {
  return hasNextIs(bytes, TRUE);
}

/** Whether a payload may have `hasNext: false`. */
export function mayBeLast(bytes: Buffer): boolean {
  return hasNextIs(bytes, FALSE);
}

/** Whether a payload may contain errors or extensions, which are not relayed unchanged. */
export function mayHoldMoreThanData(bytes: Buffer): boolean {
  return bytes.includes(EXTENSIONS_KEY) || bytes.includes(ERRORS_KEY);
}

function hasNextIs(bytes: Buffer, value: RegExp): boolean {
  for (let at = bytes.indexOf(HAS_NEXT); at >= 0; at = bytes.indexOf(HAS_NEXT, at + 1)) {
    const after = at + HAS_NEXT.length;
    if (value.test(bytes.toString('latin1', after, after + VALUE_LENGTH))) return true;
  }
  return false;
}

/** Whether bytes begin and end like a JSON object. The bytes between are not checked. */
export function mayBeObject(bytes: Buffer): boolean {
  let [from, to] = [0, bytes.length - 1];
  while (from < to && WHITE_SPACE.has(bytes[from] ?? 0)) from += 1;
  while (to > from && WHITE_SPACE.has(bytes[to] ?? 0)) to -= 1;
  return from < to && bytes[from] === OPENING_BRACE && bytes[to] === CLOSING_BRACE;
}

/** @returns undefined if the bytes are not a payload. */
export function parsePart(bytes: Buffer): ParsedPayload | undefined {
  try {
    const value = parseServiceJson(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Converts a payload for the client: adds the service's name to errors and removes extensions. */
export function relayedPart(service: string, part: ParsedPayload, context: OperationContext): ParsedPayload {
  takeHttpHints(part.extensions, context.http);
  const { extensions: _extensions, ...rest } = mapErrors(part, (errors) => relayedErrors(service, errors));
  const incremental = listIn(rest.incremental)?.map((piece) => {
    if (!isJsonObject(piece)) return piece;
    const { extensions: _ofPiece, ...kept } = piece;
    return kept;
  });
  return { ...rest, ...(incremental && { incremental }) };
}

/** Replaces all errors of a payload. */
export function mapErrors(part: ParsedPayload, map: (errors: readonly unknown[]) => readonly unknown[]): ParsedPayload {
  const mapped = (value: unknown): unknown => {
    const errors = isJsonObject(value) ? listIn(value.errors) : undefined;
    return errors ? { ...(value as ParsedPayload), errors: map(errors) } : value;
  };
  const own = mapped(part) as ParsedPayload;
  const [incremental, completed] = [listIn(part.incremental), listIn(part.completed)];
  return {
    ...own,
    ...(incremental && { incremental: incremental.map(mapped) }),
    ...(completed && { completed: completed.map(mapped) }),
  };
}

/**
 * The limits within which payloads stay unparsed. A small payload may keep the whole buffer in memory that was read
 * from the connection.
 */
const MAX_UNREAD_BYTES = 1024 * 1024;
const MAX_UNREAD_PARTS = 64;

/**
 * The maximum memory of results that are pending at the same time. An operation within the limits has thousands of
 * results at most, with short ids.
 */
const MAX_PENDING_BYTES = 1024 * 1024;
/** The memory of a pending result besides its id. */
const PENDING_OVERHEAD_BYTES = 64;

/**
 * The pending results. Payloads are parsed late, because pending results are only needed if a response is truncated.
 */
export class PromisedPieces {
  readonly #pending = new Set<string>();
  #pendingBytes = 0;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #areTooMany = false;

  /** @returns false if more results are pending than the limit allows. */
  note(part: IncrementalPayload): boolean {
    if (!Buffer.isBuffer(part)) {
      this.#readAll();
      this.#read(part);
    } else if (part.includes(PENDING) || part.includes(COMPLETED)) {
      this.#unread.push(part);
      this.#unreadBytes += part.length;
      if (this.#unreadBytes > MAX_UNREAD_BYTES || this.#unread.length > MAX_UNREAD_PARTS) this.#readAll();
    }
    return !this.#areTooMany;
  }

  /**
   * Creates the last payload in the format of the others, with `error` for each pending result, or once if too many are
   * pending.
   */
  broken(error: unknown): ParsedPayload {
    this.#readAll();
    if (this.#pending.size === 0) return { errors: [error], hasNext: false };
    return { completed: [...this.#pending].map((id) => ({ id, errors: [error] })), hasNext: false };
  }

  #readAll(): void {
    const parts = this.#unread;
    this.#unread = [];
    this.#unreadBytes = 0;
    for (const bytes of parts) this.#read(parsePart(bytes));
  }

  #read(part: ParsedPayload | undefined): void {
    if (this.#areTooMany) return;
    for (const id of idsOf(part?.pending)) {
      if (this.#pending.has(id)) continue;
      this.#pendingBytes += id.length + PENDING_OVERHEAD_BYTES;
      if (this.#pendingBytes > MAX_PENDING_BYTES) {
        this.#areTooMany = true;
        this.#pending.clear();
        return;
      }
      this.#pending.add(id);
    }
    for (const id of idsOf(part?.completed))
      if (this.#pending.delete(id)) this.#pendingBytes -= id.length + PENDING_OVERHEAD_BYTES;
  }
}

/** Ids that are not strings are ignored. */
function idsOf(pieces: unknown): readonly string[] {
  const ids = listIn(pieces)?.map((piece) => (isJsonObject(piece) ? piece.id : undefined)) ?? [];
  return ids.filter((id) => typeof id === 'string');
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
