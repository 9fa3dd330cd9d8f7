import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { GatewayError } from '../../errors.ts';
import type { SentFile, SentFiles } from '../../sources/index.ts';
import { invalidJson, parseShallowJson } from '../http/index.ts';
import { malformedUpload, uploadTooLarge } from './errors.ts';

/** The limits of the files of one operation. */
export interface UploadLimits {
  readonly maxFiles: number;
  /** The largest size of one file. */
  readonly maxFileBytes: number;
}

/** The headers of one part: its disposition, its type, and a few that are ignored. */
const MAX_PART_HEADERS = 20;
const MAX_PART_HEADER_BYTES = 8_192;

const MULTIPART = /^multipart\/form-data\s*;/i;

export function isMultipart({ headers }: IncomingMessage): boolean {
  return MULTIPART.test(headers['content-type'] ?? '');
}

/** Called once: with the operation and its files as soon as the files begin to arrive, or with the reason for the rejection. */
type OnOperation = (refusal: GatewayError | undefined, operation?: unknown, files?: IncomingFiles) => void;

const WRONG_ORDER = 'expected "operations", then "map", then the files';
const OTHER_PARTS = 'expected "operations", "map" and files, and nothing else';

/** The placeholder of a file in the variables. It is serialized as null. */
const FILE = Object.freeze({ toJSON: () => null });

/**
 * The files of a multipart request (https://github.com/jaydenseric/graphql-multipart-request-spec), which are streamed.
 * `operations` and `map` are read first. Files are read only on demand.
 */
export class IncomingFiles implements SentFiles {
  readonly places = new Map<string, readonly string[]>();
  readonly #request: IncomingMessage;
  readonly #limits: UploadLimits;
  readonly #parser: BusboyInstance | undefined;
  readonly #arrived: { readonly file: SentFile; readonly content: BusboyFileStream }[] = [];
  /** Undefined once it has been called. */
  #onOperation: OnOperation | undefined;
  #operation: unknown;
  #failure: GatewayError | undefined;
  #isComplete = false;
  #isUnwanted = false;
  #wake = () => {};

  /** @param maxFieldBytes the largest `operations` and the largest `map` that are accepted. */
  constructor(request: IncomingMessage, limits: UploadLimits, maxFieldBytes: number, onOperation: OnOperation) {
    this.#request = request;
    this.#limits = limits;
    this.#onOperation = onOperation;
    try {
      this.#parser = new Busboy({
        headers: request.headers as BusboyHeaders,
        limits: {
          fieldSize: maxFieldBytes,
          fields: 2,
          files: limits.maxFiles,
          fileSize: limits.maxFileBytes,
          // One more than is valid, so that the limit of files reports excess files.
          parts: limits.maxFiles + 3,
          headerPairs: MAX_PART_HEADERS,
          headerSize: MAX_PART_HEADER_BYTES,
        },
      });
    } catch {
      this.fail(malformedUpload('the request body is not valid multipart/form-data'));
      return;
    }
    this.#parser.on('field', (name, value, _, isCut) => this.#field(name, value, isCut, maxFieldBytes));
    // A part without a name is a file if its media type is not text.
    this.#parser.on('file', (key, content, name: string | undefined, _, type) =>
      this.#file({ key, name: name ?? key, type, content }, content),
    );
    this.#parser.on('filesLimit', () => this.fail(uploadTooLarge(`more than ${limits.maxFiles} files`)));
    this.#parser.on('fieldsLimit', () => this.fail(malformedUpload(OTHER_PARTS)));
    this.#parser.on('partsLimit', () => this.fail(malformedUpload(OTHER_PARTS)));
    this.#parser.on('error', () => this.fail(malformedUpload('the request body is not valid multipart/form-data')));
    this.#parser.on('finish', () => this.#finish());
    request.on('close', () => {
      if (!request.complete) this.fail(malformedUpload('the request body is incomplete'));
    });
    request.pipe(this.#parser);
  }

  /** Why the files cannot be read. Undefined while they can. */
  get failure(): GatewayError | undefined {
    return this.#failure;
  }

  async *arrive(): AsyncGenerator<SentFile> {
    const awaited = new Set(this.places.keys());
    while (awaited.size > 0) {
      const { file, content } = await this.#next(awaited);
      if (!awaited.delete(file.key)) content.resume();
      else {
        yield file;
        if (content.truncated)
          throw this.fail(uploadTooLarge(`a file of more than ${this.#limits.maxFileBytes} bytes`));
        if (this.#failure) throw this.#failure;
      }
    }
    this.#isUnwanted = true;
    for (const { content } of this.#arrived.splice(0)) content.resume();
  }

  /** Reads and discards the rest, so that the client can read the response. */
  discard(): void {
    this.#isUnwanted = true;
    if (this.#parser) this.#request.unpipe(this.#parser);
    this.#request.resume();
  }

  fail(failure: GatewayError): GatewayError {
    this.#failure ??= failure;
    this.#passOn(failure);
    for (const { content } of this.#arrived) content.destroy(failure);
    this.#wake();
    // The rest is not parsed: a megabyte of empty parts takes 0.3 s.
    this.discard();
    return this.#failure;
  }

  async #next(awaited: ReadonlySet<string>) {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const next = this.#arrived.shift();
      if (next) return next;
      if (this.#isComplete)
        throw this.fail(malformedUpload(`${awaited.size} of the files that "map" names did not come`));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #field(name: string, value: string, isCut: boolean, maxBytes: number): void {
    if (isCut) this.fail(uploadTooLarge(`"${name === 'map' ? 'map' : 'operations'}" of more than ${maxBytes} bytes`));
    else if (name === 'operations' && this.#operation === undefined) this.#operation = this.#parsed(value, name);
    else if (name !== 'map' || this.#operation === undefined || !this.#onOperation)
      this.fail(malformedUpload(WRONG_ORDER));
    else this.#map(this.#parsed(value, name));
  }

  #map(map: unknown): void {
    if (this.#failure) return;
    try {
      for (const [key, places] of entriesOf(map)) {
        for (const place of places) putFile(this.#operation, place);
        this.places.set(key, places);
        if (this.places.size > this.#limits.maxFiles) throw uploadTooLarge(`more than ${this.#limits.maxFiles} files`);
      }
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.fail(error);
      return;
    }
    this.#passOn(undefined);
  }

  #file(file: SentFile, content: BusboyFileStream): void {
    if (this.#onOperation) this.fail(malformedUpload(WRONG_ORDER));
    // The reader gets the error, but there may be no reader left.
    content.on('error', () => {});
    if (this.#isUnwanted || this.#failure) content.resume();
    else {
      this.#arrived.push({ file, content });
      this.#wake();
    }
  }

  #finish(): void {
    this.#isComplete = true;
    if (this.#onOperation) this.fail(malformedUpload(WRONG_ORDER));
    this.#wake();
  }

  #passOn(refusal: GatewayError | undefined): void {
    const onOperation = this.#onOperation;
    this.#onOperation = undefined;
    if (refusal) onOperation?.(refusal);
    else onOperation?.(undefined, this.#operation, this);
  }

  #parsed(text: string, name: string): unknown {
    try {
      return parseShallowJson(text, `"${name}"`);
    } catch (error) {
      if (error instanceof GatewayError) this.fail(error);
      else this.fail(invalidJson(`"${name}"`));
      return undefined;
    }
  }
}

function entriesOf(map: unknown): readonly (readonly [string, readonly string[]])[] {
  const isPaths = (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
  if (typeof map !== 'object' || map === null || Array.isArray(map) || !Object.values(map).every(isPaths))
    throw malformedUpload('"map" must be an object of lists of paths, such as {"0":["variables.file"]}');
  return Object.entries(map);
}

/** Replaces null in `operations` by the placeholder of a file. */
function putFile(operation: unknown, place: string): void {
  const keys = place.split('.');
  const last = keys.pop() ?? '';
  let within: unknown = operation;
  for (const key of keys) within = ownValue(within, key);
  if (keys[0] !== 'variables' || ownValue(within, last) !== null)
    throw malformedUpload('every path of "map" must lead to a null in the variables of one operation');
  (within as Record<string, unknown>)[last] = FILE;
}

function ownValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
