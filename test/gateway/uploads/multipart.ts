/** A part of a body in multipart/form-data. */
export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Buffer;
}

const BOUNDARY = 'between-the-parts';

/** The body; without its end where it is not whole. */
export function multipart(parts: readonly Part[], isWhole = true): Buffer {
  const written = parts.flatMap(({ name, filename, type, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    type === undefined ? '\r\n' : `Content-Type: ${type}\r\n\r\n`,
    content,
    '\r\n',
  ]);
  const all = isWhole ? [...written, `--${BOUNDARY}--\r\n`] : written.slice(0, -1);
  return Buffer.concat(all.map((one) => Buffer.from(one)));
}

/*
 * What an upload is made of, in this order: github.com/jaydenseric/graphql-multipart-request-spec.
 */

export const operations = (query: string, variables: object): Part => ({
  name: 'operations',
  content: JSON.stringify({ query, variables }),
});

/** Where in the operation which file goes. */
export const map = (places: object): Part => ({ name: 'map', content: JSON.stringify(places) });

export const file = (name: string, content: string | Buffer, filename = 'a.txt', type = 'text/plain'): Part => ({
  name,
  filename,
  type,
  content,
});

export const HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
