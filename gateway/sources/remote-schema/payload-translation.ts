import { isJsonObject } from '../../../platform/index.ts';
import type { ParsedPayload } from '../compiled-operation.ts';

/** The most bytes of paths and labels of streams that are under way. Each is kept until the response is over. */
const MAX_STREAMS_BYTES = 1024 * 1024;
/** Of one payload: each takes several times its length when it is translated. */
const MAX_PIECES = 100_000;
/** What a stream takes in memory beside its path and label. */
const STREAM_OVERHEAD_BYTES = 128;

/** The pending result that stands for all that is still to come. */
const REST_ID = '0';

/** What one payload of the newer format brings. */
interface Notices {
  readonly pending: object[];
  readonly incremental: object[];
  readonly completed: object[];
}

/** A list whose items come one after another. */
interface Stream {
  readonly id: string;
  /** The index of its next item. */
  next: number;
}

type Path = readonly (string | number)[];

/** Whether a first payload is of the format v0.2, where each result that is to come has an id. */
export function announcesResults(first: ParsedPayload): boolean {
  return Array.isArray(first.pending);
}

/**
 * Translates the payloads of a response from the format of August 2022 (`deferSpec=20220824`) to v0.2
 * (`incrementalSpec=v0.2`).
 *
 * The older format does not say what is still to come. In the newer one there is always something that is: the first payload
 * announces a result with the path of the whole response, which is completed by the last payload, or by the error in its
 * place. A deferred fragment is announced, delivered and completed by the payload that brings it; a stream is announced by
 * its first items, and completed at the end.
 */
export class PayloadTranslation {
  readonly #streams = new Map<string, Stream>();
  #streamsBytes = 0;
  #lastId = Number(REST_ID);

  /** @returns undefined where the payload is in neither format, or in both. */
  first(part: ParsedPayload): ParsedPayload | undefined {
    if (part.pending !== undefined || part.completed !== undefined) return undefined;
    const { path: _path, label: _label, incremental: _incremental, ...rest } = part;
    const notices: Notices = { pending: [{ id: REST_ID, path: [] }], incremental: [], completed: [] };
    if (!this.#takePieces(part.incremental, notices)) return undefined;
    if (part.hasNext === false) this.#completeAll(notices);
    return { ...rest, ...filled(notices) };
  }

  /** @returns undefined where the payload is in neither format, in both, or brings items in another order than that of the list. */
  next(part: ParsedPayload): ParsedPayload | undefined {
    if (part.pending !== undefined || part.completed !== undefined) return undefined;
    const notices: Notices = { pending: [], incremental: [], completed: [] };
    // Before there was a list of them, a payload brought one result itself.
    const isPiece = part.path !== undefined || part.data !== undefined || part.items !== undefined;
    const pieces = isPiece || Array.isArray(part.errors) ? [part] : [];
    if (!this.#takePieces(pieces, notices) || !this.#takePieces(part.incremental, notices)) return undefined;
    const isLast = part.hasNext === false;
    if (isLast) this.#completeAll(notices);
    return { ...filled(notices), hasNext: !isLast };
  }

  #completeAll({ completed }: Notices): void {
    for (const { id } of this.#streams.values()) completed.push({ id });
    this.#streams.clear();
    completed.push({ id: REST_ID });
  }

  #takePieces(pieces: unknown, notices: Notices): boolean {
    if (pieces === undefined || pieces === null) return true;
    if (!Array.isArray(pieces) || pieces.length > MAX_PIECES) return false;
    return pieces.every((piece) => isJsonObject(piece) && this.#takePiece(piece, notices));
  }

  #takePiece(piece: ParsedPayload, notices: Notices): boolean {
    // One with an id is of the newer format, unless it has a path too, for clients of either.
    const path = piece.path ?? (piece.id === undefined ? [] : undefined);
    if (!isPath(path) || (piece.label != null && typeof piece.label !== 'string')) return false;
    const label = piece.label == null ? undefined : (piece.label as string);
    return 'items' in piece
      ? this.#takeItems(piece, path, label, notices)
      : this.#takeFragment(piece, path, label, notices);
  }

  /** Without data, an error has made all of the fragment null. */
  #takeFragment({ data, errors }: ParsedPayload, path: Path, label: string | undefined, notices: Notices): boolean {
    const id = this.#announce(path, label, notices);
    if (isJsonObject(data)) {
      notices.incremental.push({ id, data, ...(errors !== undefined && { errors }) });
      notices.completed.push({ id });
      return true;
    }
    notices.completed.push({ id, ...(errors !== undefined && { errors }) });
    return data === null || (data === undefined && errors !== undefined);
  }

  /** The path of items ends with the index of the first of them. Without items, an error has ended the stream. */
  #takeItems({ items, errors }: ParsedPayload, path: Path, label: string | undefined, notices: Notices): boolean {
    const list = path.slice(0, -1);
    const index = path.at(-1);
    if (typeof index !== 'number') return false;
    const key = JSON.stringify([list, label ?? null]);
    const stream = this.#streams.get(key) ?? this.#begin(key, { id: '', next: index }, list, label, notices);
    // The newer format has no index: its clients append.
    if (!stream || stream.next !== index) return false;
    if (Array.isArray(items)) {
      stream.next += items.length;
      notices.incremental.push({ id: stream.id, items, ...(errors !== undefined && { errors }) });
      return true;
    }
    this.#end(key);
    notices.completed.push({ id: stream.id, ...(errors !== undefined && { errors }) });
    return items === null;
  }

  /** @returns undefined where too many streams are under way. */
  #begin(key: string, stream: Stream, list: Path, label: string | undefined, notices: Notices): Stream | undefined {
    this.#streamsBytes += key.length + STREAM_OVERHEAD_BYTES;
    if (this.#streamsBytes > MAX_STREAMS_BYTES) return undefined;
    const begun = { ...stream, id: this.#announce(list, label, notices) };
    this.#streams.set(key, begun);
    return begun;
  }

  #end(key: string): void {
    this.#streams.delete(key);
    this.#streamsBytes -= key.length + STREAM_OVERHEAD_BYTES;
  }

  #announce(path: Path, label: string | undefined, { pending }: Notices): string {
    this.#lastId += 1;
    const id = String(this.#lastId);
    pending.push({ id, path, ...(label !== undefined && { label }) });
    return id;
  }
}

function filled({ pending, incremental, completed }: Notices): ParsedPayload {
  return {
    ...(pending.length > 0 && { pending }),
    ...(incremental.length > 0 && { incremental }),
    ...(completed.length > 0 && { completed }),
  };
}

function isPath(value: unknown): value is Path {
  return Array.isArray(value) && value.every((key) => typeof key === 'string' || Number.isSafeInteger(key));
}
