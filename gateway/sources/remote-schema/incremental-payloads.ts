import { isJsonObject } from '../../../platform/index.ts';
import type { IncrementalPayload, ParsedPayload } from '../compiled-operation.ts';
import type { OperationContext } from '../operation-context.ts';
import { relayedError, takeHttpHints } from './remote-response.ts';

/*
 * Parts of an answer come in two forms: of August 2022 (`incremental` with paths), and the one of today's proposal, where
 * `pending` gives each deferred piece an id, and `completed` ends it. Both have `hasNext`, and errors in the same places.
 */

const ERRORS_KEY = Buffer.from('"errors"');
/** By its first letter it would be found too often. */
const EXTENSIONS_KEY = Buffer.from('xtensions"');
const PENDING = Buffer.from('"pending"');
const COMPLETED = Buffer.from('"completed"');
const HAS_NEXT = Buffer.from('"hasNext"');
const TRUE = /^\s*:\s*true/;
const FALSE = /^\s*:\s*false/;
/** Room for a colon, a value and the white space of a reader's taste. */
const VALUE_LENGTH = 32;

/** Whether a part may say `hasNext: true`; a field of its data may be called so too. */
export function mayHaveNext(bytes: Buffer): boolean {
  return hasNextIs(bytes, TRUE);
}

/** Whether a part may say that it is the last one. */
export function mayBeLast(bytes: Buffer): boolean {
  return hasNextIs(bytes, FALSE);
}

/** Whether a part may hold errors or extensions, which are not relayed as they are. */
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

/** @returns undefined where it is no part of an answer. */
export function parsePart(bytes: Buffer): ParsedPayload | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A part as it goes on: its errors get the name of the service, and extensions stay here. */
export function relayedPart(service: string, part: ParsedPayload, context: OperationContext): ParsedPayload {
  takeHttpHints(part.extensions, context.http);
  const { extensions: _extensions, ...rest } = mapErrors(part, (errors) =>
    errors.map((error) => relayedError(service, error)),
  );
  const incremental = listIn(rest.incremental)?.map((piece) => {
    if (!isJsonObject(piece)) return piece;
    const { extensions: _ofPiece, ...kept } = piece;
    return kept;
  });
  return { ...rest, ...(incremental && { incremental }) };
}

/** A part with its errors, wherever they stand, replaced. */
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

/** More is not kept to be read later; a small part may keep all of what was read from the connection with it. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const MAX_UNREAD_PARTS = 64;

/** What has been promised and has not come. Only an answer that ends before its time needs it, so parts are read late. */
export class PromisedPieces {
  readonly #pending = new Set<unknown>();
  #unread: Buffer[] = [];
  #unreadBytes = 0;

  note(part: IncrementalPayload): void {
    if (!Buffer.isBuffer(part)) {
      this.#readAll();
      this.#read(part);
    } else if (part.includes(PENDING) || part.includes(COMPLETED)) {
      this.#unread.push(part);
      this.#unreadBytes += part.length;
      if (this.#unreadBytes > MAX_UNREAD_BYTES || this.#unread.length > MAX_UNREAD_PARTS) this.#readAll();
    }
  }

  /** The last part, in the form of the others: nothing more comes, because of `error`. */
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
    for (const piece of listIn(part?.pending) ?? []) if (isJsonObject(piece)) this.#pending.add(piece.id);
    for (const piece of listIn(part?.completed) ?? []) if (isJsonObject(piece)) this.#pending.delete(piece.id);
  }
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}
