import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { GatewayError } from '../../errors.ts';
import type { SentFile, SentFiles } from '../../sources/index.ts';
import { invalidJson, parseShallowJson } from '../http/index.ts';
import { malformedUpload, uploadTooLarge } from './errors.ts';

/** How much of files a client may send with one operation. */
export interface UploadLimits {
  readonly maxFiles: number;
  /** Of one file. */
  readonly maxFileBytes: number;
}

/** Of one part: its disposition, its type, and a few that are ignored. */
const MAX_PART_HEADERS = 20;
const MAX_PART_HEADER_BYTES = 8_192;

const MULTIPART = /^multipart\/form-data\s*;/i;

export function isMultipart({ headers }: IncomingMessage): boolean {
  return MULTIPART.test(headers['content-type'] ?? '');
}

/** Called once with the operation and its files as soon as the files begin to come, or with the reason why there are none. */
type OnOperation = (refusal: GatewayError | undefined, operation?: unknown, files?: IncomingFiles) => void;

const WRONG_ORDER = 'expected "operations", then "map", then the files';
const OTHER_PARTS = 'expected "operations", "map" and files, and nothing else';

/** The placeholder of a file in the variables. It is forwarded as null. */
const FILE = Object.freeze({ toJSON: () => null });

/**
 * The files of one multipart request (https://github.com/jaydenseric/graphql-multipart-request-spec), on their way through:
 * it reads `operations` and `map`, and then the files, of which nothing is read before it is asked for.
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

  /** @param maxFieldBytes the longest `operations` and the longest `map` that are taken. */
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
          // One more than is valid, so that too many files are reported by the limit of files.
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
    // A part without a name is a file where its media type says that it is no text.
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

  /** Why they cannot be read; undefined as long as they can. */
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

  /** Reads what still comes and throws it away, so that the client gets to see the answer. */
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
    // The rest is not parsed any more: a megabyte of empty parts takes 0.3 s.
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
    // A reader gets the error; there may be none any more.
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

/** Puts what stands for a file where `operations` has null. */
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
