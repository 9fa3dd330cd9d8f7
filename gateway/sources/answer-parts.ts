import type { Call } from './call.ts';
import type { AnswerPart, ReadPart } from './prepared-operation.ts';
import { relayedError, takeHttpHints } from './remote-response.ts';

/*
 * Parts of an answer come in two forms: of August 2022 (`incremental` with paths), and the one of today's proposal, where
 * `pending` gives each deferred piece an id, and `completed` ends it. Both have `hasNext`, and errors in the same places.
 */

const ERRORS = Buffer.from('"errors"');
/** By its first letter it would be found too often. */
const EXTENSIONS = Buffer.from('xtensions"');
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
  return bytes.includes(EXTENSIONS) || bytes.includes(ERRORS);
}

function hasNextIs(bytes: Buffer, value: RegExp): boolean {
  for (let at = bytes.indexOf(HAS_NEXT); at >= 0; at = bytes.indexOf(HAS_NEXT, at + 1)) {
    const after = at + HAS_NEXT.length;
    if (value.test(bytes.toString('latin1', after, after + VALUE_LENGTH))) return true;
  }
  return false;
}

/** @returns undefined where it is no part of an answer. */
export function parsePart(bytes: Buffer): ReadPart | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A part as it goes on: its errors get the name of the service, and extensions stay here. */
export function relayedPart(service: string, part: ReadPart, call: Call): ReadPart {
  takeHttpHints(part.extensions, call.http);
  const { extensions: _extensions, ...rest } = mapErrors(part, (errors) =>
    errors.map((error) => relayedError(service, error)),
  );
  const incremental = listIn(rest.incremental)?.map((piece) => {
    if (!isObject(piece)) return piece;
    const { extensions: _ofPiece, ...kept } = piece;
    return kept;
  });
  return { ...rest, ...(incremental && { incremental }) };
}

/** A part with its errors, wherever they stand, replaced. */
export function mapErrors(part: ReadPart, map: (errors: readonly unknown[]) => readonly unknown[]): ReadPart {
  const mapped = (value: unknown): unknown => {
    const errors = isObject(value) ? listIn(value.errors) : undefined;
    return errors ? { ...(value as ReadPart), errors: map(errors) } : value;
  };
  const own = mapped(part) as ReadPart;
  const [incremental, completed] = [listIn(part.incremental), listIn(part.completed)];
  return {
    ...own,
    ...(incremental && { incremental: incremental.map(mapped) }),
    ...(completed && { completed: completed.map(mapped) }),
  };
}

/** What has been promised and has not come: needed only where an answer ends before its time, so it is read only then. */
export class PromisedPieces {
  readonly #parts: AnswerPart[] = [];

  note(part: AnswerPart): void {
    if (!Buffer.isBuffer(part) || part.includes(PENDING) || part.includes(COMPLETED)) this.#parts.push(part);
  }

  /** The last part, in the form of the others: nothing more comes, because of `error`. */
  broken(error: unknown): ReadPart {
    const pending = new Set<unknown>();
    let hasIds = false;
    for (const part of this.#parts) {
      const read = Buffer.isBuffer(part) ? parsePart(part) : part;
      for (const piece of listIn(read?.pending) ?? []) {
        hasIds = true;
        if (isObject(piece)) pending.add(piece.id);
      }
      for (const piece of listIn(read?.completed) ?? []) if (isObject(piece)) pending.delete(piece.id);
    }
    if (!hasIds || pending.size === 0) return { errors: [error], hasNext: false };
    return { completed: [...pending].map((id) => ({ id, errors: [error] })), hasNext: false };
  }
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
