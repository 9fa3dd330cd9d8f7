import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

/** A file that a client sends. */
export interface SentFile {
  /** The file's name in the client's `map`. */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** A stream. Reading of the request stops while the stream is not read. */
  readonly content: Readable;
}

/** The files that belong to an operation (GraphQL multipart request specification). */
export interface SentFiles {
  /**
   * The places of each file in the operation, by its name in the client's `map`. Places are paths such as
   * `variables.file`.
   */
  readonly places: ReadonlyMap<string, readonly string[]>;
  /**
   * The files in order of arrival. Each file has to be read before the next one.
   *
   * @throws GatewayError if a file is too large or missing.
   */
  arrive(): AsyncIterable<SentFile>;
}

/** The body of a request that forwards an operation with its files while they arrive. */
export interface MultipartBody {
  readonly contentType: string;
  readonly body: Readable;
}

/** @param operation the operation in JSON, with null in place of files. */
export function multipartBody(operation: string, files: SentFiles): MultipartBody {
  const boundary = `portico-${randomUUID()}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Readable.from(formParts(operation, files, boundary), { objectMode: false }),
  };
}

async function* formParts(operation: string, files: SentFiles, boundary: string): AsyncGenerator<Buffer> {
  // The gateway chooses the names of form fields, since the client's names may contain anything.
  const names = new Map([...files.places.keys()].map((key, index) => [key, String(index)]));
  const map = Object.fromEntries([...files.places].map(([key, places]) => [names.get(key), places]));
  const begin = (disposition: string, type?: string) =>
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${type ? `content-type: ${type}\r\n` : ''}\r\n`,
    );
  yield begin('name="operations"');
  yield Buffer.from(`${operation}\r\n`);
  yield begin('name="map"');
  yield Buffer.from(`${JSON.stringify(map)}\r\n`);
  for await (const { key, name, type, content } of files.arrive()) {
    yield begin(
      `name="${names.get(key)}"; filename="${escapeFormName(name)}"`,
      MEDIA_TYPE.test(type) ? type : UNKNOWN_TYPE,
    );
    yield* content;
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Escapes a name as browsers do (HTML, "multipart/form-data encoding algorithm"). */
function escapeFormName(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
