import {
  sender,
  type UpstreamConnections,
  UpstreamError,
  type UpstreamHandler,
  type UpstreamRequest,
} from '../../../gateway/upstream/index.ts';
import { UnfinishedEvents } from '../../../gateway/upstream/unfinished-events.ts';

/** A GraphQL request, as a service got it. */
export interface ServiceRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** Answers GraphQL requests: with a GraphQL response, or with text that is sent as it is. One that throws cannot be reached. */
export type Service = (request: ServiceRequest) => Promise<unknown> | unknown;

export interface ServiceCall extends ServiceRequest {
  readonly service: string;
  /** Calls of one wave all started before any of them was answered: from 1 on. */
  readonly wave: number;
}

interface PendingCall extends ServiceCall {
  readonly handler: UpstreamHandler;
}

/** Services of this process, connected to as to others. */
export interface InProcessServices {
  readonly connections: UpstreamConnections;
  /** The address of a service. */
  urlOf(service: string): string;
  /** What services were asked since `forget`. */
  readonly calls: readonly ServiceCall[];
  /** How many calls have not been answered yet. */
  unanswered(): number;
  forget(): void;
}

/** How many turns of the event loop have to pass without a new call until the calls so far are a wave: a batch may take one. */
const QUIET_TURNS = 2;
const PADDING = 16 * 1024;

/**
 * Connects services without a network. Calls are answered in waves: when the caller makes no more calls, all that are under way
 * are answered, in the order in which they were made. So the number of waves depends on the caller alone, not on durations.
 */
export function connectInProcess(services: ReadonlyMap<string, Service>): InProcessServices {
  const calls: ServiceCall[] = [];
  let pending: PendingCall[] = [];
  let wave = 0;
  let isWaiting = false;
  let unanswered = 0;

  const dispatch = ({ url, body }: UpstreamRequest, handler: UpstreamHandler): void => {
    const service = decodeURIComponent(new URL(url).pathname.slice(1));
    const { query, variables = {}, operationName } = JSON.parse(String(body));
    const call = { service, query, variables, ...(operationName && { operationName }), wave: wave + 1 };
    calls.push(call);
    unanswered++;
    pending.push({ ...call, handler });
    if (!isWaiting) waitForQuiet(pending.length, QUIET_TURNS);
  };
  const waitForQuiet = (known: number, turns: number): void => {
    isWaiting = true;
    setImmediate(() => {
      if (pending.length > known) waitForQuiet(pending.length, QUIET_TURNS);
      else if (turns > 1) waitForQuiet(known, turns - 1);
      else {
        const all = pending;
        pending = [];
        wave++;
        isWaiting = false;
        void answerAll(all);
      }
    });
  };
  const answerAll = async (all: readonly PendingCall[]): Promise<void> => {
    const deliveries = await Promise.all(all.map((call) => answered(services.get(call.service), call)));
    unanswered -= all.length;
    for (const deliver of deliveries) deliver();
  };
  const http = { dispatch, send: sender(dispatch) };
  return {
    connections: {
      ...http,
      pool: () => http,
      buffered: { bytes: 0, held: 0 },
      unfinishedEvents: new UnfinishedEvents(0),
      close: async () => {},
    },
    urlOf: (service) => `http://services.test/${encodeURIComponent(service)}`,
    calls,
    unanswered: () => unanswered,
    forget: () => {
      calls.length = 0;
      wave = 0;
    },
  };
}

/** @returns what gives the caller the answer */
async function answered(service: Service | undefined, { handler, ...request }: PendingCall): Promise<() => void> {
  try {
    if (!service) throw new TypeError(`no service ${request.service}`);
    const answer = await service(request);
    const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
    // Long replies are read in another way than short ones. The white space at the end makes half of them long.
    const bytes = Buffer.from(request.query.length % 2 === 0 ? body : body.padEnd(body.length + PADDING));
    const headers = { 'content-type': 'application/json' };
    return () => handler.onResponse({ status: 200, headers, chunks: [bytes], bytes, body });
  } catch (error) {
    return () => handler.onError(new UpstreamError('connection', error));
  }
}
