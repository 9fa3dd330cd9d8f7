import { acceptTooLong } from './errors.ts';

export type ResponseType = 'application/json' | 'application/graphql-response+json';

/** Characters. Those of browsers and GraphQL clients have fewer than 300. */
const MAX_ACCEPT_LENGTH = 2_048;
/** Media ranges of one `Accept` that are read; further ones are ignored. */
const MAX_MEDIA_RANGES = 64;

/**
 * Rejects an `Accept` that is longer than any client needs: it is parsed before its caller is known.
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
 * Picks the media type of a GraphQL response (GraphQL over HTTP, section 6.1): the one that `Accept` likes best, the one that
 * it names first where it likes both, JSON where it leaves the choice. Undefined when it takes neither.
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

/** How much `Accept` likes a type, and where it names it. Its most specific range counts (RFC 9110 section 12.5.1). */
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

/** How the events of a subscription come over HTTP: as server-sent events, or as Apollo's `multipart/mixed`. */
export type EventStreamType = 'text/event-stream' | 'multipart/mixed';

/**
 * The event stream that a client requests by name: a wildcard does not count. Server-sent events take precedence where
 * it accepts both. Version 1.0 of Apollo's protocol is supported.
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

/** The formats in which a client accepts the payloads of `@defer` and `@stream`. */
export interface AcceptedParts {
  /** The media ranges for a service's header `Accept`; their parameters name the format of payloads. */
  readonly accept: string;
  /** Whether it reads payloads of v0.2 only, with `pending` and `completed`, and not the older ones. */
  readonly isNewerOnly: boolean;
}

const OLDER_PARTS = 'multipart/mixed; deferSpec=20220824';

/**
 * The media ranges of `Accept` that request incremental delivery over HTTP, which are forwarded to services. Undefined where
 * there are none, or only some that name a format that no payloads have; ranges for subscriptions are left out. For a client
 * that reads v0.2 only, the older format is requested after it: its payloads can be translated.
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
 * The formats of payloads that become server-sent events: the older one, which most services know, for a client that names
 * none.
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

/** The format that a range names; `any` where it names none, undefined where it names an unknown one. */
function formatOfParts({ parameters }: MediaRange): 'older' | 'newer' | 'any' | undefined {
  const named = parameters.filter((parameter) => /^(?:defer|incremental)spec\b/.test(parameter));
  if (named.length === 0) return 'any';
  if (named.every((parameter) => /^incrementalspec\s*=\s*(?:v0\.2|"v0\.2")$/.test(parameter))) return 'newer';
  const isOlder = (parameter: string) =>
    /^(?:deferspec\s*=\s*(?:20220824|"20220824")|incrementalspec\s*=\s*(?:v0\.1|"v0\.1"))$/.test(parameter);
  return named.every(isOlder) ? 'older' : undefined;
}

/** One range of media types, as it is written and taken apart; all but its text is in lower case. */
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

/** Whether a range may be forwarded: it becomes a header of another request. */
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
