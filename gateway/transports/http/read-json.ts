import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayError } from '../../errors.ts';
import { invalidJson, jsonTooDeep, notJson } from './errors.ts';
import { isNestedTooDeep, MAX_JSON_DEPTH } from './json-depth.ts';
import { type BodySource, readBody } from './read-body.ts';

/** Called once with a request's JSON value (undefined for an empty body), or with the reason for its rejection. */
export type JsonReader = (refusal: GatewayError | undefined, value?: unknown) => void;

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads a JSON body. An empty body needs no content type. Rejections are 415 for another content type, character set or content
 * coding, 413 for a body over the limit, and 400 for invalid JSON.
 *
 * @param maxBytes the largest decompressed body that is accepted.
 */
export function readJson(source: BodySource, maxBytes: number, done: JsonReader): void {
  const { headers } = source.request;
  const hasType = headers['content-type'] !== undefined;
  if (hasType && !isJson(headers)) done(notJson());
  else
    readBody(source, maxBytes, (refusal, body) => {
      if (refusal || body.length === 0) done(refusal);
      else if (!hasType) done(notJson());
      else parseBodyJson(body, done);
    });
}

/** Reads JSON and returns it as a promise. */
export function receiveJson(source: BodySource, maxBytes: number): Promise<unknown> {
  return new Promise((resolve, reject) =>
    readJson(source, maxBytes, (refusal, value) => (refusal ? reject(refusal) : resolve(value))),
  );
}

function isJson({ 'content-type': type = '' }: IncomingHttpHeaders): boolean {
  if (type === 'application/json') return true;
  if (!JSON_MEDIA_TYPE.test(type)) return false;
  return isUtf8Type(type);
}

/** Returns whether a media type names no character set, or UTF-8. */
export function isUtf8Type(type = ''): boolean {
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'utf8';
}

function parseBodyJson(body: Buffer, done: JsonReader): void {
  if (isNestedTooDeep(body)) {
    done(jsonTooDeep('the request body', MAX_JSON_DEPTH));
    return;
  }
  let value: unknown;
  try {
    if (!isUtf8(body)) throw new SyntaxError('not UTF-8');
    value = JSON.parse(withoutMark(body.toString('utf8')));
  } catch {
    done(invalidJson('the request body'));
    return;
  }
  done(undefined, value);
}

/** Removes a byte order mark, which may be ignored (RFC 8259 section 8.1). */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
