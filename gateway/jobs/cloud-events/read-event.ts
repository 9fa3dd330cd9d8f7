import { isUtf8 } from 'node:buffer';
import { isJsonObject } from '../../../platform/index.ts';
import { invalidJson, isNestedTooDeep, isUtf8Type, jsonTooDeep, MAX_JSON_DEPTH } from '../../transports/http/index.ts';
import { checkedEvent } from './attributes.ts';
import type { CloudEvent, EventData } from './cloud-event.ts';
import { ambiguousEvent, invalidEvent, unsupportedEventFormat } from './errors.ts';
import { type JsonMember, jsonMembers } from './json-members.ts';

/** A request that carries an event. */
export interface EventMessage {
  /** Alternating names and values, as Node.js provides them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

const ATTRIBUTE_PREFIX = 'ce-';
const JSON_MEDIA_TYPE = /^(?:application\/json|[\w!#$%&'*.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\+json)$/;

/**
 * Reads an event in the JSON format, in structured or binary mode (CloudEvents HTTP Protocol Binding 1.0.2, section 3).
 *
 * @throws GatewayError 400 if the request is not a CloudEvent of version 1.0, 415 for batches and other formats.
 */
export function readEvent({ rawHeaders, body }: EventMessage): CloudEvent {
  const contentType = singleHeader(rawHeaders, 'content-type');
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType.startsWith('application/cloudevents-batch'))
    throw unsupportedEventFormat('several events in one request are not accepted: send each by itself');
  if (!mediaType.startsWith('application/cloudevents')) return binaryEvent(rawHeaders, contentType, mediaType, body);
  if (mediaType !== 'application/cloudevents+json' || !isUtf8Type(contentType))
    throw unsupportedEventFormat('expected application/cloudevents+json in UTF-8');
  return structuredEvent(body);
}

function structuredEvent(body: Buffer): CloudEvent {
  const text = decodeJson(body, 'the event');
  const value = parsedOrRefused(text, 'the event');
  if (!isJsonObject(value)) throw invalidEvent('expected a JSON object');
  const members = jsonMembers(text);
  const names = new Set(members.map(({ name }) => name));
  // Parsers differ in which value of a repeated member they use.
  if (names.size < members.length) throw ambiguousEvent('a member of the event is there twice');
  const attributes = new Map(Object.entries(value).filter(([name]) => name !== 'data' && name !== 'data_base64'));
  return checkedEvent(attributes, dataOf(members, value));
}

function dataOf(members: readonly JsonMember[], value: Readonly<Record<string, unknown>>): EventData | undefined {
  const json = members.find(({ name }) => name === 'data')?.text;
  const base64 = value.data_base64 ?? undefined;
  if (base64 === undefined) return json === undefined ? undefined : { json };
  if (json !== undefined) throw ambiguousEvent('an event has data or data_base64, not both');
  if (typeof base64 !== 'string' || Buffer.from(base64, 'base64').toString('base64') !== base64)
    throw invalidEvent('data_base64 is a string in base64', 'data_base64');
  return { base64 };
}

function binaryEvent(
  rawHeaders: readonly string[],
  contentType: string | undefined,
  mediaType: string,
  body: Buffer,
): CloudEvent {
  const attributes = new Map<string, unknown>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]?.toLowerCase() ?? '';
    if (!header.startsWith(ATTRIBUTE_PREFIX)) continue;
    const name = header.slice(ATTRIBUTE_PREFIX.length);
    if (name === 'datacontenttype') throw ambiguousEvent('Content-Type has the place of ce-datacontenttype');
    if (attributes.has(name)) throw ambiguousEvent('an attribute is there twice');
    const value = decodeAttribute(rawHeaders[at + 1] ?? '');
    if (value === undefined) throw ambiguousEvent('the value of an attribute is not encoded correctly');
    attributes.set(name, value);
  }
  if (attributes.size === 0)
    throw unsupportedEventFormat('expected application/cloudevents+json, or headers with the prefix "ce-"');
  if (body.length === 0) return checkedEvent(attributes, undefined);
  if (contentType === undefined) throw unsupportedEventFormat('data requires a Content-Type');
  attributes.set('datacontenttype', contentType);
  return checkedEvent(attributes, binaryData(contentType, mediaType, body));
}

function binaryData(contentType: string, mediaType: string, body: Buffer): EventData {
  if (!JSON_MEDIA_TYPE.test(mediaType)) return { base64: body.toString('base64') };
  if (!isUtf8Type(contentType)) throw unsupportedEventFormat('expected JSON in UTF-8');
  const text = decodeJson(body, 'the data');
  parsedOrRefused(text, 'the data');
  return { json: text.trim() };
}

/** Decodes the text of a JSON body, without a byte order mark (RFC 8259 section 8.1). */
function decodeJson(body: Buffer, what: string): string {
  if (isNestedTooDeep(body)) throw jsonTooDeep(what, MAX_JSON_DEPTH);
  if (!isUtf8(body)) throw invalidJson(what);
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function parsedOrRefused(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson(what);
  }
}

/**
 * Returns the value of a header that a request may have only once. If a header is repeated, Node.js keeps the first value and
 * other servers keep the last one.
 */
function singleHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  if (values.length > 1) throw ambiguousEvent(`there is more than one header ${name}`);
  return values[0];
}

const PERCENT = 0x25;
/** A value in double quotes, in which a backslash may precede any character (RFC 9110 section 5.6.4). */
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/;

/**
 * Decodes the value of an attribute in a header: removes the quotes, then percent-decodes once (CloudEvents HTTP Protocol
 * Binding 1.0.2, section 3.1.3.2). Returns undefined for an invalid quote or percent sign, and for bytes that are not UTF-8.
 *
 * @param header as Node.js provides it, with one character for each byte.
 */
function decodeAttribute(header: string): string | undefined {
  const text = header.startsWith('"') ? QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : header;
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'latin1');
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== PERCENT) decoded[length++] = byte;
    else {
      const digits = bytes.toString('latin1', at + 1, at + 3);
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return undefined;
      decoded[length++] = Number.parseInt(digits, 16);
      at += 2;
    }
  }
  const result = decoded.subarray(0, length);
  return isUtf8(result) ? result.toString('utf8') : undefined;
}
