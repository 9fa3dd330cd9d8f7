import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { changingUpstream } from '../harness/changing-upstream.ts';
import { type EditedGateway, openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer, reply, until, watchThreads } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const SHOP = 'type Query { item: String }';
const HUGE = 'x'.repeat(3_000_000);
/** More than an operator reads of one problem, and less than fills a log. */
const MAX_SAID = 6_000;

interface Element {
  [name: string]: unknown;
}
type Introspection = { __schema: { types: Element[]; directives: Element[]; [name: string]: unknown } };

function introspectionOf(sdl: string): Introspection {
  return JSON.parse(JSON.stringify(introspectionFromSchema(buildSchema(sdl))));
}

/** The introspection of the shop, whose type `Query` has been changed. */
function withQuery(change: (query: Element) => void): object {
  const introspection = introspectionOf(SHOP);
  for (const type of introspection.__schema.types) if (type.name === 'Query') change(type);
  return introspection;
}

function names(count: number): string {
  return Array.from({ length: count }, (_, at) => `v${at}`).join(' ');
}

async function open(definition: object = {}, environment: Record<string, string> = {}, waitUntilReady = true) {
  const shop = await keepForTest(changingUpstream(SHOP, { Query: { item: () => 'bolt' } }));
  const remote = { name: 'shop', definition: { url: shop.graphqlUrl, composition: 'plain', ...definition } };
  const gateway = await keepForTest(
    openEditedGateway({ 'remote_schemas.yaml': [remote] }, { issuer, environment, waitUntilReady }),
  );
  const introspect = () => gateway.command('reload_metadata', { reload_remote_schemas: ['shop'] });
  return { shop, gateway, introspect };
}

async function reasonOf(gateway: EditedGateway): Promise<string> {
  const { body } = await gateway.command<{ items: { reason: string | null }[] }>('portico_get_sources');
  return body.items[0]?.reason ?? '';
}

function longestLine(gateway: EditedGateway): number {
  return Math.max(
    ...gateway
      .logs()
      .split('\n')
      .map((line) => Buffer.byteLength(line)),
  );
}

describe('what a service says when it is introspected', () => {
  test.each<[what: string, answer: object]>([
    ['one long message', { errors: [{ message: HUGE }] }],
    ['many messages', { errors: Array(50_000).fill({ message: 'no' }) }],
    ['a message that is no text', { errors: [{ message: { text: HUGE } }] }],
    ['a long path, code and extensions', { errors: [{ message: 'no', path: [HUGE], extensions: { code: HUGE } }] }],
    [
      'an unknown type with a long name',
      { data: withQuery((query) => Object.assign(query, { interfaces: [{ name: HUGE }] })) },
    ],
    ['a long kind of a type', { data: withQuery((query) => Object.assign(query, { kind: HUGE })) }],
  ])('is cut in the log, in the list of sources and in health: %s', async (_what, answer) => {
    const { shop, gateway, introspect } = await open();
    shop.instead = (_, response) => reply(response, 200, answer);
    await introspect();
    expect(gateway.logged('remote_schema.refresh_failed')).toHaveLength(1);
    const { text } = await gateway.command('portico_get_sources');
    expect((await reasonOf(gateway)).length).toBeGreaterThan(10);
    expect(text.length).toBeLessThan(MAX_SAID);
    expect(longestLine(gateway)).toBeLessThan(MAX_SAID);
    expect((await gateway.graphql('{ item }', { token })).status).toBe(200);
  });

  test('says how much of it was cut', async () => {
    const { shop, gateway, introspect } = await open();
    shop.instead = (_, response) => reply(response, 200, { errors: [{ message: HUGE }] });
    await introspect();
    expect(await reasonOf(gateway)).toMatch(/^the introspection was refused: x+… \(2\d{6} more characters\)$/);
  });

  test('is cut as well while it is not part of the graph yet', async () => {
    const shop = await keepForTest(changingUpstream(SHOP));
    shop.instead = (_, response) => reply(response, 200, { errors: [{ message: HUGE }] });
    const remote = { name: 'shop', definition: { url: shop.graphqlUrl, composition: 'plain' } };
    const gateway = await keepForTest(
      openEditedGateway({ 'remote_schemas.yaml': [remote] }, { issuer, waitUntilReady: false }),
    );
    await until('it has been asked', () => gateway.logged('remote_schema.unavailable').length > 0);
    for (const command of ['get_inconsistent_metadata', 'portico_get_sources', 'portico_get_report'])
      expect((await gateway.command(command)).text.length).toBeLessThan(2 * MAX_SAID);
    expect(longestLine(gateway)).toBeLessThan(MAX_SAID);
  });

  test('is cut where thousands of problems are found', async () => {
    const { shop, gateway, introspect } = await open();
    const fields = Array.from({ length: 5_000 }, (_, at) => `f${at}: Int`).join(' ');
    const introspection = introspectionOf(`type Query { ${fields} }`);
    for (const type of introspection.__schema.types)
      if (type.name === 'Query') for (const field of type.fields as Element[]) field.name = `__${String(field.name)}`;
    shop.instead = (_, response) => reply(response, 200, { data: introspection });
    await introspect();
    expect(await reasonOf(gateway)).toMatch(/more\)/);
    expect(longestLine(gateway)).toBeLessThan(MAX_SAID);
  });
});

describe('a schema that changes in thousands of places', () => {
  test('has the first changes in the log, and their number', async () => {
    const { shop, gateway, introspect } = await open();
    const fields = Array.from({ length: 5_000 }, (_, at) => `field${at}: Int`).join(' ');
    shop.become(`type Query { ${fields} }`);
    await introspect();
    await until('the change is logged', () => gateway.logged('remote_schema.changed').length > 0);
    const [line] = gateway.logged('remote_schema.changed');
    expect(line).toMatchObject({ total: 5_001, breaking: 1 });
    expect(line?.changes).toHaveLength(20);
    const { text } = await gateway.command('portico_get_sources');
    expect(text).toContain('"total":5001');
    expect(text.length).toBeLessThan(4 * MAX_SAID);
  });
});

describe('a schema beyond a limit', () => {
  const LIMITS = { PORTICO_SCHEMA_MAX_BYTES: '200000', PORTICO_SCHEMA_MAX_ELEMENTS: '500' };
  const bytes = (sdl: string) => ({ data: { _sdl: sdl, _service: { sdl } } });
  const introspection = (data: object) => ({ data });

  test.each<[what: string, composition: string, answer: object, reason: string]>([
    [
      'bytes',
      'plain',
      introspection({ ...introspectionOf(SHOP), more: HUGE }),
      'more than 200000 bytes: PORTICO_SCHEMA_MAX_BYTES',
    ],
    [
      'enum values',
      'plain',
      introspection(introspectionOf(`type Query { a: E } enum E { ${names(600)} }`)),
      'PORTICO_SCHEMA_MAX_ELEMENTS',
    ],
    [
      'arguments',
      'plain',
      introspection(introspectionOf(`type Query { a(${names(600).replaceAll(' ', ':Int ')}:Int): Int }`)),
      'PORTICO_SCHEMA_MAX_ELEMENTS',
    ],
    [
      'fields',
      'plain',
      introspection(introspectionOf(`type Query { ${names(600).replaceAll(' ', ':Int ')}:Int }`)),
      'PORTICO_SCHEMA_MAX_ELEMENTS',
    ],
    [
      'a description',
      'plain',
      introspection(withQuery((query) => Object.assign(query, { description: 'd'.repeat(70_000) }))),
      'a description, reason or default value of 70000 characters',
    ],
    [
      'a name',
      'plain',
      introspection(
        withQuery((query) => Object.assign(query, { interfaces: [{ kind: 'INTERFACE', name: 'I'.repeat(5_000) }] })),
      ),
      'a name of 5000 characters',
    ],
    [
      'wrappers of a type',
      'plain',
      introspection(
        withQuery((query) =>
          Object.assign((query.fields as Element[])[0] ?? {}, {
            type: JSON.parse(
              `${'{"kind":"LIST","ofType":'.repeat(2_000)}{"kind":"SCALAR","name":"Int"}${'}'.repeat(2_000)}`,
            ),
          }),
        ),
      ),
      'within more than 32 lists',
    ],
    [
      'enum values of a stitched service',
      'stitching',
      bytes(`type Query { a: E } enum E { ${names(600)} }`),
      'PORTICO_SCHEMA_MAX_ELEMENTS',
    ],
    [
      'tokens of a stitched service',
      'stitching',
      bytes(`type Query { a: Int ${'@a(b: [1 2 3])'.repeat(4_000)} }`),
      'PORTICO_SCHEMA_MAX_ELEMENTS',
    ],
    [
      'a description of a stitched service',
      'stitching',
      bytes(`"${'d'.repeat(70_000)}" type Query { a: Int }`),
      'a description, reason or default value',
    ],
    [
      'bytes of a subgraph',
      'federation',
      bytes(`# ${HUGE}\ntype Query { a: Int }`),
      'the response to the query for _service has more than 200000 bytes',
    ],
    [
      'fields of a subgraph',
      'federation',
      bytes(`type Query { ${names(600).replaceAll(' ', ':Int ')}:Int }`),
      'PORTICO_SCHEMA_MAX_ELEMENTS',
    ],
  ])('is refused, and the reason names the limit: %s', async (_what, composition, answer, reason) => {
    const { shop, gateway } = await open({ composition }, LIMITS, false);
    shop.instead = (_, response) => reply(response, 200, answer);
    await until('the reason is shown', async () => (await reasonOf(gateway)).includes(reason));
    expect(longestLine(gateway)).toBeLessThan(MAX_SAID);
  });

  test('leaves the one in use as it is', async () => {
    const { shop, gateway, introspect } = await open({}, LIMITS);
    shop.become(`type Query { item: String a: E } enum E { ${names(600)} }`, { Query: { item: () => 'nut' } });
    await introspect();
    expect(await reasonOf(gateway)).toContain('PORTICO_SCHEMA_MAX_ELEMENTS');
    expect((await gateway.graphql('{ item }', { token })).body.data).toEqual({ item: 'nut' });
  });

  test('is taken where the limits are raised', async () => {
    const { shop, gateway, introspect } = await open({}, { PORTICO_SCHEMA_MAX_ELEMENTS: '40000' });
    shop.become(`type Query { item: String a: E } enum E { ${names(30_000)} }`, { Query: { item: () => 'nut' } });
    await introspect();
    expect(await reasonOf(gateway)).toBe('');
    expect((await gateway.graphql('{ a }', { token })).body.data).toEqual({ a: null });
  });
});

describe('a long schema', () => {
  /** About 3 MB of introspection. */
  const types = Array.from(
    { length: 500 },
    (_, at) => `"${'d'.repeat(4_000)}" type T${at} { id: ID t: T${(at + 1) % 500} }`,
  );
  const LONG = `type Query { item: String t: T0 } ${types.join('\n')}`;

  test('is read in a thread before it becomes a part of the graph', async () => {
    const { shop, gateway, introspect } = await open();
    const threads = watchThreads();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, threads.size);
    }, 1);
    shop.become(LONG, { Query: { item: () => 'nut' } });
    await introspect();
    clearInterval(watch);
    expect(most).toBe(1);
    expect(await reasonOf(gateway)).toBe('');
    expect((await gateway.graphql('{ item t { t { id } } }', { token })).body.data).toEqual({ item: 'nut', t: null });
  });

  test.each<[what: string, answer: (whole: Introspection) => unknown, reason: string]>([
    ['is no JSON', () => `<html>${HUGE}`, 'is not JSON (status 200)'],
    ['is refused', () => ({ errors: [{ message: 'closed' }, { message: HUGE }] }), 'was refused: closed'],
    ['has no types', () => ({ data: { __schema: { description: HUGE } } }), 'there are no types'],
    [
      'is not valid',
      (whole) => {
        for (const type of whole.__schema.types) if (type.name === 'T1') type.name = '__T1';
        return { data: JSON.parse(JSON.stringify(whole).replaceAll('"T1"', '"__T1"')) };
      },
      'its schema is not valid: Name "__T1" must not begin with "__"',
    ],
  ])('that %s is refused as a short one is', async (_what, answer, reason) => {
    const { shop, gateway, introspect } = await open();
    const body = answer(introspectionOf(LONG));
    shop.instead = (_, response) => response.end(typeof body === 'string' ? body : JSON.stringify(body));
    await introspect();
    expect(await reasonOf(gateway)).toContain(reason);
    expect(longestLine(gateway)).toBeLessThan(MAX_SAID);
  });
});
