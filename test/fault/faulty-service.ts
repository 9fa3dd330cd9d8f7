import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type GraphqlUpstream, graphqlUpstream, type Handler, reply } from '../gateway/harness/index.ts';

/** What a service does instead of answering, for as long as it is told. */
export interface FaultyService extends GraphqlUpstream {
  /** From now on it does this. Undefined: it is back. */
  fail(fault: Handler | undefined): void;
  /** How many operations it was sent. */
  asked(): number;
  /** How many operations it holds that it has not answered and whose connection is open. */
  held(): number;
}

/** A service with a query field `<name>`, a second one `<name>_more` and a mutation `<name>_change`. */
export async function faultyService(name: string): Promise<FaultyService> {
  const upstream = await graphqlUpstream(
    `type Query { ${name}: String ${name}_more: String ${name}_of(id: Int): String } type Mutation { ${name}_change: String }`,
    {
      Query: {
        [name]: () => 'well',
        [`${name}_more`]: () => 'more',
        [`${name}_of`]: (_: unknown, { id }: { id: number }) => `well ${id}`,
      },
      Mutation: { [`${name}_change`]: () => 'changed' },
    },
  );
  const open = new Set<ServerResponse>();
  return Object.assign(upstream, {
    fail: (fault: Handler | undefined) => {
      upstream.instead =
        fault &&
        ((received, response, request) => {
          open.add(response);
          response.once('close', () => open.delete(response));
          return fault(received, response, request);
        });
    },
    asked: () => upstream.operations().length,
    held: () => open.size,
  });
}

const MEBIBYTE = 'x'.repeat(1_048_576);

/** Ways in which a service can fail, by what is told of it. */
export const faults = {
  /** It takes the request and says nothing. */
  hangs: () => {},
  /** It begins to answer and stops in the middle. */
  hangsInBody: (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":{'),
  /** The connection ends in the middle of the answer. */
  cutsBody: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"data":{');
    setImmediate(() => response.destroy());
  },
  /** The connection ends before there is an answer. */
  hangsUp: (_, response) => response.destroy(),
  /** What comes is not HTTP. */
  noHttp: (_, response) => (response.socket as Socket).end('\u0000\u0001 nonsense\r\n\r\n'),
  /** What comes is not JSON. */
  noJson: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>ok</html>'),
  /** What comes is JSON and no GraphQL response. */
  noGraphql: (_, response) => reply(response, 200, [1, 2, 3]),
  fails: (_, response) => response.writeHead(500).end('trace: at 10.0.0.1'),
  isUnavailable: (_, response) => response.writeHead(503).end('no'),
  /** It does not like what it was asked. */
  refuses: (_, response) => reply(response, 400, { errors: [{ message: 'no' }] }),
  refusesInGraphql: (_, response) => reply(response, 200, { data: null, errors: [{ message: 'no' }] }),
  /** Too busy, and says when to come back. */
  isBusy: (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end('later'),
  /** An answer without end. */
  floods: (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const pour = () => {
      while (!response.destroyed && response.write(MEBIBYTE));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  },
} satisfies Record<string, Handler>;
