import { isJsonObject } from '../../../platform/index.ts';
import type { ParsedPayload } from '../compiled-operation.ts';

/** The maximum number of bytes of open streams' paths and labels, which are kept until the response ends. */
const MAX_STREAMS_BYTES = 1024 * 1024;
/** The maximum number of pieces in one payload. Translating a piece takes several times its length in memory. */
const MAX_PIECES = 100_000;
/** The memory of a stream besides its path and label. */
const STREAM_OVERHEAD_BYTES = 128;

/** The pending result that represents everything that is still to come. */
const REST_ID = '0';

/** The notices of one payload in the newer format. */
interface Notices {
  readonly pending: object[];
  readonly incremental: object[];
  readonly completed: object[];
}

/** A list whose items arrive one after another. */
interface Stream {
  readonly id: string;
  /** The index of the next item. */
  next: number;
}

type Path = readonly (string | number)[];

/** Whether a first payload has the format v0.2, in which each pending result has an id. */
export function announcesResults(first: ParsedPayload): boolean {
  return Array.isArray(first.pending);
}

/**
 * Translates the payloads of a response from the format of August 2022 (`deferSpec=20220824`) to v0.2
 * (`incrementalSpec=v0.2`).
 *
 * The older format does not announce pending results, whereas the newer format requires one. The first payload
 * therefore announces a result with the path of the whole response. The last payload, or the error in its place,
 * completes it. The payload that contains a deferred fragment announces, delivers and completes it. The first items of
 * a stream announce it, and the end of the response completes it.
 */
export class PayloadTranslation {
  readonly #streams = new Map<string, Stream>();
  #streamsBytes = 0;
  #lastId = Number(REST_ID);

  /** @returns undefined if the payload is in neither format or in both. */
  first(part: ParsedPayload): ParsedPayload | undefined {
    if (part.pending !== undefined || part.completed !== undefined) return undefined;
    const { path: _path, label: _label, incremental: _incremental, ...rest } = part;
    const notices: Notices = { pending: [{ id: REST_ID, path: [] }], incremental: [], completed: [] };
    if (!this.#takePieces(part.incremental, notices)) return undefined;
    if (part.hasNext === false) this.#completeAll(notices);
    return { ...rest, ...filled(notices) };
  }

  /** @returns undefined if the payload is in neither format, in both, or contains items out of order. */
  next(part: ParsedPayload): ParsedPayload | undefined {
    if (part.pending !== undefined || part.completed !== undefined) return undefined;
    const notices: Notices = { pending: [], incremental: [], completed: [] };
    // Before payloads had the list `incremental`, each payload contained one result itself.
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
    // A piece with an id has the newer format, unless it also has a path for clients of the older format.
    const path = piece.path ?? (piece.id === undefined ? [] : undefined);
    if (!isPath(path) || (piece.label != null && typeof piece.label !== 'string')) return false;
    const label = piece.label == null ? undefined : (piece.label as string);
    return 'items' in piece
      ? this.#takeItems(piece, path, label, notices)
      : this.#takeFragment(piece, path, label, notices);
  }

  /** Translates a deferred fragment. If `data` is missing or null, an error has made the whole fragment null. */
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

  /**
   * Translates items of a stream. The path of items ends with the index of the first item. If there are no items, an
   * error has ended the stream.
   */
  #takeItems({ items, errors }: ParsedPayload, path: Path, label: string | undefined, notices: Notices): boolean {
    const list = path.slice(0, -1);
    const index = path.at(-1);
    if (typeof index !== 'number') return false;
    const key = JSON.stringify([list, label ?? null]);
    const stream = this.#streams.get(key) ?? this.#begin(key, { id: '', next: index }, list, label, notices);
    // The newer format has no index, so its clients append items.
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

  /** @returns undefined if too many streams are open. */
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
