import { afterEach, expect, test } from '@jest/globals';
import { type ExecutionResult, getOperationAST, parse } from 'graphql';
import { createSession } from '../../../gateway/access/session/index.ts';
import { type FederatedGraph, OperationTooComplex } from '../../../gateway/planning/joins/index.ts';
import { compileJoinedEvents, type OperationContext } from '../../../gateway/sources/index.ts';
import { SourceEvents } from '../../../gateway/sources/source-events.ts';
import { Cancellation, createLogger } from '../../../platform/index.ts';
import { federate, type World } from './world.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const open = async () => {
  world = await federate({
    things: {
      sdl: `type Query { thing(n: Int): Thing } type Subscription { made: Thing }
        type Thing @key(fields: "id") { id: ID! }`,
      resolvers: { Query: { thing: (_: unknown, { n }: { n?: number }) => ({ id: `${n}` }) } },
    },
    sizes: {
      sdl: 'type Thing @key(fields: "id") { id: ID! size(n: Int): Int }',
      resolvers: {
        Thing: { __resolveReference: (key: object) => key, size: ({ id }: { id: string }) => Number(id) * 2 },
      },
    },
  });
  return world;
};
const aliases = (count: number, field: (at: number) => string) =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: ${field(at)}`).join(' ')} }`;
const joins = (count: number) => aliases(count, (at) => `thing(n: ${at}) { size }`);
/** Long enough for several turns. */
const LONG = joins(200);
const ENDLESS = joins(2000);

/** Counts the turns of the event loop while something runs. */
async function turnsOf(run: () => unknown): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    turns++;
    setImmediate(turn);
  };
  setImmediate(turn);
  await run();
  isOver = true;
  return turns;
}

test('an ordinary operation is planned at once', async () => {
  const { graph } = await open();
  expect(graph.prepare('{ thing(n: 1) { size } }').plan({})).not.toBeInstanceOf(Promise);
});

test('planning a long operation takes turns with other work, and so does refusing one', async () => {
  const { graph } = await open();
  expect(await turnsOf(() => graph.prepare(LONG).plan({}))).toBeGreaterThan(3);
  const refused = async () => graph.prepare(ENDLESS).plan({});
  expect(await turnsOf(() => expect(refused()).rejects.toThrow(OperationTooComplex))).toBeGreaterThan(3);
});

test('an operation that is planned in turns is answered as others are', async () => {
  const { ask } = await open();
  const { data } = await ask(LONG);
  expect(data).toEqual(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a${at}`, { size: at * 2 }])));
});

test('other operations are answered while one is planned', async () => {
  const { ask, graph } = await open();
  let isPlanned = false;
  const all = Array.from({ length: 20 }, (_, at) => graph.prepare(`${LONG} # ${at}`).plan({}));
  void Promise.all(all).then(() => {
    isPlanned = true;
  });
  const prepared = graph.prepare('{ thing(n: 7) { size } }').plan({});
  expect(prepared).not.toBeInstanceOf(Promise);
  expect(isPlanned).toBe(false);
  expect(await ask('{ thing(n: 7) { size } }')).toEqual({ data: { thing: { size: 14 } } });
  await Promise.all(all);
});

test('plans that are made at the same time do not disturb each other', async () => {
  const { graph } = await open();
  const texts = [LONG, joins(150), aliases(400, (at) => `thing(n: ${at}) { id }`), ENDLESS];
  const fetchesOf = async (text: string) => {
    try {
      return (await graph.prepare(text).plan({})).fetches;
    } catch (error) {
      return (error as OperationTooComplex).code;
    }
  };
  const alone: unknown[] = [];
  for (const text of texts) alone.push(await fetchesOf(text));
  expect(await Promise.all(texts.map(fetchesOf))).toEqual(alone);
  expect(alone.at(-1)).toBe('plan-too-complex');
});

test('an operation that several ask for while it is planned is planned once, as is a variant of it', async () => {
  const { graph } = await open();
  const conditional = `query ($on: Boolean!) ${LONG.replace('size', 'size id @include(if: $on)')}`;
  for (const [text, variables] of [
    [LONG, {}],
    [conditional, { on: true }],
  ] as const) {
    const prepared = graph.prepare(text);
    const [one, other] = [prepared.plan(variables), prepared.plan(variables)];
    expect(one).toBeInstanceOf(Promise);
    expect(other).toBe(one);
    expect(prepared.plan(variables)).toBe(one);
    expect(await one).toBe(prepared.plan(variables));
  }
});

test('a refusal is found once, and nothing is fetched', async () => {
  const { graph, calls } = await open();
  const prepared = graph.prepare(ENDLESS);
  await expect(prepared.run({}, undefined)).rejects.toThrow(OperationTooComplex);
  expect(() => prepared.plan({})).toThrow(OperationTooComplex);
  expect(calls).toEqual([]);
});

test('an operation that is prepared and not run does no harm', async () => {
  const { graph } = await open();
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  graph.prepare(ENDLESS);
  await expect(graph.prepare(ENDLESS).run({}, undefined)).rejects.toThrow(OperationTooComplex);
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

/** A subscription whose events take long to plan, with a source that has one event. */
async function subscribed(fields: number) {
  const { graph } = await open();
  const sizes = aliases(fields, (at) => `size(n: ${at})`);
  const document = parse(`subscription { made ${sizes} }`);
  const operation = getOperationAST(document);
  if (!operation) throw new TypeError('no operation');
  let opened = 0;
  const source = () => {
    opened++;
    const events = new SourceEvents();
    events.push({ data: { made: { __typename: 'Thing', id: '4' } } }, 10);
    events.end();
    return events;
  };
  // Services of this graph read nothing of the context.
  const own = graph as unknown as FederatedGraph<OperationContext>;
  const subscription = compileJoinedEvents(own, { document, operation }, () => ({ open: source }));
  return { events: subscription.open({}, contextOf()), opened: () => opened };
}

function contextOf(): OperationContext {
  return {
    session: createSession('admin', {}),
    requestId: 'test',
    clientAddress: '127.0.0.1',
    clientHeaders: {},
    query: '',
    cancellation: new Cancellation(),
    log: createLogger('test', 'silent', { write: () => {} }),
    http: { headers: {}, cookies: [] },
  };
}

test('a subscription that is planned in turns has its events', async () => {
  const { events, opened } = await subscribed(300);
  expect(opened()).toBe(0);
  const { value } = await events.next();
  expect((value as ExecutionResult).data?.made).toMatchObject({ a0: 8, a299: 8 });
  expect(await events.next()).toMatchObject({ done: true });
  expect(opened()).toBe(1);
});

test('a subscription that ends while it is planned is not opened', async () => {
  const { events, opened } = await subscribed(300);
  const next = events.next();
  await events.return?.();
  expect(await next).toMatchObject({ done: true });
  expect(opened()).toBe(0);
});

test('a subscription that is refused after several turns fails with its code', async () => {
  const { events, opened } = await subscribed(3000);
  await expect(events.next()).rejects.toMatchObject({ errors: [{ extensions: { code: 'plan-too-complex' } }] });
  expect(opened()).toBe(0);
});
