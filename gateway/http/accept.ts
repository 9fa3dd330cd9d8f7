export type ResponseType = 'application/json' | 'application/graphql-response+json';

/**
 * Picks the media type of a GraphQL response (GraphQL over HTTP, section 6.1): the one that `Accept` likes best, JSON
 * where it leaves the choice. Undefined when it takes neither.
 */
export function negotiate(accept: string | undefined): ResponseType | undefined {
  if (!accept || accept === '*/*' || accept === 'application/json') return 'application/json';
  let best: ResponseType | undefined;
  let bestQuality = 0;
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const type = TYPES[name];
    const quality = qualityOf(parameters);
    if (type && quality > bestQuality) {
      best = type;
      bestQuality = quality;
    }
  }
  return best;
}

/** Whether a client asks for an answer that is an event stream; to take anything is not to ask for it. */
export function acceptsEvents(accept: string | undefined): boolean {
  if (accept === undefined || !/event-stream/i.test(accept)) return false;
  return accept.split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === 'text/event-stream' && qualityOf(parameters) > 0;
  });
}

/**
 * What of `Accept` asks for answers in parts (incremental delivery over HTTP), to be asked of others: its parameters name
 * the form of the parts. Undefined where nothing does; parts that are events of subscriptions are another matter.
 */
export function acceptedParts(accept: string | undefined): string | undefined {
  if (accept === undefined || !/multipart\/mixed/i.test(accept)) return undefined;
  const ranges = accept.split(',').map((range) => range.trim());
  const asking = ranges.filter((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const isOfEvents = parameters.some((parameter) => parameter.startsWith('subscriptionspec'));
    return name === 'multipart/mixed' && !isOfEvents && isToBeSentOn(range) && qualityOf(parameters) > 0;
  });
  return asking.length === 0 ? undefined : asking.slice(0, MAX_PARTS_RANGES).join(', ');
}

/** It becomes a header of another request, in which a client should not write what it likes. */
function isToBeSentOn(range: string): boolean {
  return range.length <= MAX_PARTS_RANGE_LENGTH && /^[\w\s./;="-]+$/.test(range);
}

const MAX_PARTS_RANGE_LENGTH = 200;
const MAX_PARTS_RANGES = 4;

const TYPES: Readonly<Record<string, ResponseType>> = {
  'application/json': 'application/json',
  'application/graphql-response+json': 'application/graphql-response+json',
  'application/*': 'application/json',
  '*/*': 'application/json',
};

function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}
