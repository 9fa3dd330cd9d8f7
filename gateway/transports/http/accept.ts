import { acceptTooLong } from './errors.ts';

export type ResponseType = 'application/json' | 'application/graphql-response+json';

/** The most characters. Browsers and GraphQL clients send fewer than 300. */
const MAX_ACCEPT_LENGTH = 2_048;
/** The most media ranges of an `Accept` header that are read. Further ones are ignored. */
const MAX_MEDIA_RANGES = 64;

/**
 * Rejects an `Accept` header that is longer than any client needs, since it is parsed before the caller is authenticated.
 *
 * @throws GatewayError 431.
 */
export function refuseLongAccept(accept: string | undefined): void {
  if (isTooLong(accept)) throw acceptTooLong(MAX_ACCEPT_LENGTH);
}

function isTooLong(accept: string | undefined): boolean {
  return accept !== undefined && accept.length > MAX_ACCEPT_LENGTH;
}

/**
 * Selects the media type of a GraphQL response (GraphQL over HTTP, section 6.1): the one with the highest preference in
 * `Accept`. If both are equal, the first one that `Accept` names wins, and JSON if it names neither. Returns undefined if
 * neither is acceptable.
 */
export function negotiate(accept: string | undefined): ResponseType | undefined {
  if (!accept || accept === '*/*' || accept === 'application/json') return 'application/json';
  const ranges = rangesOf(accept);
  const json = preferenceFor('application/json', ranges);
  const graphql = preferenceFor('application/graphql-response+json', ranges);
  if (json.quality === 0 && graphql.quality === 0) return undefined;
  const isGraphql =
    graphql.quality > json.quality || (graphql.quality === json.quality && graphql.position < json.position);
  return isGraphql ? 'application/graphql-response+json' : 'application/json';
}

/** Returns the preference of a type and its position in `Accept`. The most specific range counts (RFC 9110 section 12.5.1). */
function preferenceFor(
  type: ResponseType,
  ranges: readonly MediaRange[],
): { readonly quality: number; readonly position: number } {
  for (const range of [type, 'application/*', '*/*']) {
    const qualities = ranges.filter(({ name }) => name === range).map(({ quality }) => quality);
    if (qualities.length > 0)
      return { quality: Math.max(...qualities), position: ranges.findIndex(({ name }) => name === range) };
  }
  return { quality: 0, position: ranges.length };
}

/** The format of subscription events over HTTP: server-sent events, or Apollo's `multipart/mixed`. */
export type EventStreamType = 'text/event-stream' | 'multipart/mixed';

/**
 * Returns the event stream that a client requests by name. Wildcards do not count. If the client accepts both formats,
 * server-sent events take precedence. Version 1.0 of Apollo's protocol is supported.
 */
export function acceptedEvents(accept: string | undefined): EventStreamType | undefined {
  if (accept === undefined || isTooLong(accept) || !/event-stream|subscriptionspec/i.test(accept)) return undefined;
  const wanted = rangesOf(accept).filter(({ quality }) => quality > 0);
  if (wanted.some(({ name }) => name === 'text/event-stream')) return 'text/event-stream';
  const hasParts = wanted.some(({ name, parameters }) => name === 'multipart/mixed' && parameters.some(isSpecOfEvents));
  return hasParts ? 'multipart/mixed' : undefined;
}

function isSpecOfEvents(parameter: string): boolean {
  return /^subscriptionspec\s*=\s*(?:1\.0|"1\.0")$/.test(parameter);
}

/** The formats of `@defer` and `@stream` payloads that a client accepts. */
export interface AcceptedParts {
  /** The media ranges for the `Accept` header of a request to a service. Their parameters name the format of the payloads. */
  readonly accept: string;
  /** Whether the client accepts only payloads of v0.2, with `pending` and `completed`, and not the older format. */
  readonly isNewerOnly: boolean;
}

const OLDER_PARTS = 'multipart/mixed; deferSpec=20220824';

/**
 * Returns the media ranges of `Accept` that request incremental delivery over HTTP, which are forwarded to services. Undefined
 * if there are none, or if they name only unknown formats. Ranges for subscriptions are left out. For a client that accepts
 * only v0.2, the older format is requested as a fallback, since its payloads can be translated.
 */
export function acceptedParts(accept: string | undefined): AcceptedParts | undefined {
  const ranges = rangesOfParts(accept).flatMap((range) => {
    const format = formatOfParts(range);
    return format ? [{ text: range.text, format }] : [];
  });
  if (ranges.length === 0) return undefined;
  const asked = ranges.slice(0, MAX_PARTS_RANGES);
  const isNewerOnly = asked.every(({ format }) => format === 'newer');
  const texts = asked.map(({ text }) => text);
  return { accept: (isNewerOnly ? [...texts, OLDER_PARTS] : texts).join(', '), isNewerOnly };
}

/**
 * Returns the formats of payloads that become server-sent events. If the client names none, this is the older format, which
 * most services support.
 */
export function acceptedPartsOfEvents(accept: string | undefined): AcceptedParts | undefined {
  if (rangesOfParts(accept).length > 0) return acceptedParts(accept);
  return { accept: OLDER_PARTS, isNewerOnly: false };
}

function rangesOfParts(accept: string | undefined): readonly MediaRange[] {
  if (accept === undefined || !/multipart\/mixed/i.test(accept)) return [];
  return rangesOf(accept).filter(({ name, parameters, quality, text }) => {
    const isOfEvents = parameters.some((parameter) => parameter.startsWith('subscriptionspec'));
    return name === 'multipart/mixed' && !isOfEvents && isToBeSentOn(text) && quality > 0;
  });
}

/** Returns the format that a range names, `any` if it names none, and undefined for an unknown one. */
function formatOfParts({ parameters }: MediaRange): 'older' | 'newer' | 'any' | undefined {
  const named = parameters.filter((parameter) => /^(?:defer|incremental)spec\b/.test(parameter));
  if (named.length === 0) return 'any';
  if (named.every((parameter) => /^incrementalspec\s*=\s*(?:v0\.2|"v0\.2")$/.test(parameter))) return 'newer';
  const isOlder = (parameter: string) =>
    /^(?:deferspec\s*=\s*(?:20220824|"20220824")|incrementalspec\s*=\s*(?:v0\.1|"v0\.1"))$/.test(parameter);
  return named.every(isOlder) ? 'older' : undefined;
}

/** One media range as text and in parts. The parts are in lower case. */
interface MediaRange {
  readonly text: string;
  readonly name: string;
  readonly parameters: readonly string[];
  readonly quality: number;
}

function rangesOf(accept: string): readonly MediaRange[] {
  if (isTooLong(accept)) return [];
  return accept.split(',', MAX_MEDIA_RANGES).map((range) => {
    const text = range.trim();
    const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    return { text, name, parameters, quality: rangeQuality(parameters) };
  });
}

/** Returns whether a range may be forwarded in a header of another request. */
function isToBeSentOn(range: string): boolean {
  return range.length <= MAX_PARTS_RANGE_LENGTH && /^[\w\s./;="-]+$/.test(range);
}

const MAX_PARTS_RANGE_LENGTH = 200;
const MAX_PARTS_RANGES = 4;

function rangeQuality(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}
