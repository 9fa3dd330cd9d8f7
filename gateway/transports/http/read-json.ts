import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayError } from '../../errors.ts';
import { invalidJson, jsonTooDeep, notJson } from './errors.ts';
import { isNestedTooDeep, MAX_JSON_DEPTH } from './json-depth.ts';
import { type BodySource, readBody } from './read-body.ts';

/** Called once with a request's JSON value (undefined for a body of no bytes at all), or with the reason why there is none. */
export type JsonReader = (refusal: GatewayError | undefined, value?: unknown) => void;

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/**
 * Reads a JSON body. A body of no bytes needs no content type. The refusal is 415 for another content type, character set
 * or content coding, 413 for a body over the limit, 400 for one that is no JSON.
 *
 * @param maxBytes the largest body that is taken, decompressed.
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

/** Reads JSON, as a promise. */
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

/** Whether a media type names no character set, or UTF-8. */
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

/** RFC 8259 section 8.1: a byte order mark may be ignored. */
function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
