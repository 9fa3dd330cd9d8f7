import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { affectingChanges } from '../../../gateway/graph/index.ts';
import { usageText, weighChanges } from '../../../gateway/operations/check/change-usage.ts';
import { usedCoordinates } from '../../../gateway/operations/usage/coordinates.ts';
import { readUsage } from '../../../gateway/operations/usage/index.ts';
import { keeper } from '../harness/index.ts';
import { metadataDirectory } from '../harness/metadata-directory.ts';
import { reportOf, textOf } from './run-check.ts';

const { keep, close } = keeper();
afterAll(close);

const DAY = 86_400_000;
const NOW = Date.parse('2026-03-31T12:00:00Z');
const SINCE = NOW - 30 * DAY;

const BEFORE = `
  type Query {
    orders(first: Int, filter: Filter, status: Status): [Order!]
    search(text: String!): [Found!]
    quiet: Quiet
  }
  type Mutation { place(input: NewOrder!): Order }
  enum Status { OPEN CLOSED LOST }
  input Filter { status: Status tag: String }
  input NewOrder { item: String! note: String options: Options }
  input Options { gift: Boolean wrap: String }
  interface Node { id: ID! }
  type Order implements Node { id: ID! item: String total(currency: String): Float status: Status }
  type Person { name: String }
  union Found = Order | Person
  type Quiet { a: String b: String }
`;
const schemaBefore = buildSchema(BEFORE);

interface Use {
  readonly query: string;
  readonly client?: string;
  readonly version?: string;
  readonly role?: string;
  readonly count?: number;
  readonly daysAgo?: number;
}

/** A file as a gateway writes it, of uses on the last thirty days. */
function usageFile(uses: readonly Use[], recordedDays = 31): string {
  const at = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString();
  const lines: object[] = [
    { kind: 'usage', version: 1, instance: 'a', from: at(recordedDays), to: new Date(NOW).toISOString() },
  ];
  uses.forEach(({ query, client, version, role = 'clerk', count = 1, daysAgo = 1 }, index) => {
    const name = /^\w+ (\w+)/.exec(query)?.[1];
    const coordinates = usedCoordinates(parse(query), schemaBefore);
    lines.push({ kind: 'operation', id: String(index), type: 'query', name, coordinates });
    lines.push({
      kind: 'uses',
      operation: String(index),
      client,
      version,
      role,
      count,
      errors: 0,
      first: at(daysAgo + 9),
      last: at(daysAgo),
    });
  });
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

async function check(
  after: string,
  uses: readonly Use[],
  { allowUnused = false, recordedDays = 31, roles = ['clerk'] } = {},
) {
  const files = (sdl: string) => ({
    'remote_schemas.yaml': [
      {
        name: 'shop',
        definition: { url: 'http://127.0.0.1:1' },
        permissions: roles.map((role) => ({ role, definition: { schema: sdl } })),
      },
    ],
    'schemas/shop.graphql': BEFORE,
  });
  const [before, now] = await Promise.all([
    keep(metadataDirectory(files(BEFORE))),
    keep(metadataDirectory(files(after))),
  ]);
  const file = join(before.path, 'usage-2026-03-01-0123456789ab-1.jsonl');
  writeFileSync(file, usageFile(uses, recordedDays));
  const options = {
    location: now.path,
    against: before.path,
    schemas: join(before.path, 'schemas'),
    usage: { usage: readUsage([file], SINCE), since: SINCE, now: NOW, allowUnused },
  };
  const { code, report } = await reportOf(options);
  expect(report.problems).toEqual([]);
  const { text } = await textOf(options);
  const lines = text.split('\n').filter((line) => /^(breaking|allowed|change) |^changes/.test(line));
  return { code, changes: report.changes ?? [], lines };
}

const without = (...parts: readonly string[]) => parts.reduce((sdl, part) => sdl.replace(part, ''), BEFORE);

describe('a check with usage', () => {
  test('says which client uses what is taken away, in which operation, how often and since when', async () => {
    const { code, lines, changes } = await check(
      without('item: String total', '').replace('(currency', 'total(currency'),
      [
        { query: 'query Orders { orders { item } }', client: 'web', version: '1.4', count: 312 },
        { query: 'query Orders { orders { item } }', client: 'web', version: '1.4', role: 'manager', count: 5 },
        { query: 'query Other { orders { id } }', client: 'app', count: 9_000 },
      ],
    );
    expect(code).toBe(1);
    expect(lines).toEqual([
      "breaking (clerk): Field 'item' was removed from object type 'Order'; used by client web 1.4, operation Orders, role clerk, 312 times since 2026-03-21, last on 2026-03-30",
      'changes: 1, 1 of them breaking',
    ]);
    expect(changes).toEqual([
      {
        breaking: true,
        message: "Field 'item' was removed from object type 'Order'",
        roles: ['clerk'],
        usage: {
          since: '2026-03-01',
          verdict: 'used',
          count: 312,
          days: 31,
          daysWithoutRecord: 0,
          unreadableLines: 0,
          by: [
            {
              client: 'web',
              version: '1.4',
              role: 'clerk',
              operation: 'Orders',
              type: 'query',
              count: 312,
              first: '2026-03-21T12:00:00.000Z',
              last: '2026-03-30T12:00:00.000Z',
            },
          ],
        },
      },
    ]);
  });

  test('allows removing what is not used, where that is asked for', async () => {
    const after = without('quiet: Quiet');
    const uses = [{ query: '{ orders { item } }' }, { query: '{ quiet { a } }', daysAgo: 40 }];
    const strict = await check(after, uses);
    expect([strict.code, strict.lines[0]]).toEqual([
      1,
      "breaking (clerk): Field 'quiet' was removed from object type 'Query'; unused since 2026-03-01 (31 days)",
    ]);
    const allowed = await check(after, uses, { allowUnused: true });
    expect(allowed.code).toBe(0);
    expect(allowed.lines).toEqual([
      "allowed (clerk): Field 'quiet' was removed from object type 'Query'; unused since 2026-03-01 (31 days)",
      'changes: 1, 1 of them breaking, 1 of them allowed because they are unused',
    ]);
    const used = await check(after, [{ query: '{ quiet { a } }', client: 'old' }], { allowUnused: true });
    expect([used.code, used.lines[0]]).toEqual([
      1,
      expect.stringContaining('used by client old, an unnamed query, role clerk, once since'),
    ]);
  });

  test('does not take for unused what was not recorded on every day', async () => {
    const { code, lines } = await check(without('quiet: Quiet'), [], { allowUnused: true, recordedDays: 11 });
    expect([code, lines[0]]).toEqual([
      1,
      expect.stringContaining('probably unused: usage was recorded on 12 of 31 days'),
    ]);
  });

  test('counts the uses of a role that a change is for, and those of all others for any other role', async () => {
    const { changes } = await check(
      without('quiet: Quiet'),
      [
        { query: '{ quiet { a } }', role: 'clerk', count: 1 },
        { query: '{ quiet { a } }', role: 'manager', count: 2 },
        { query: '{ quiet { a } }', role: 'stranger', count: 4 },
        { query: '{ quiet { a } }', role: 'other', count: 8 },
      ],
      { roles: ['clerk', 'manager'] },
    );
    expect(changes[0]).toMatchObject({ roles: ['clerk', 'manager'], usage: { count: 11 } });
  });

  // Each change with a document that it affects and one that it does not.
  test.each<[what: string, after: string, affected: string, unaffected: string]>([
    [
      'a removed field',
      without('text: String!', '').replace('search()', 'search(text: String!)').replace('name: String', 'n: String'),
      '{ search(text: "a") { ... on Person { name } } }',
      '{ orders { id } }',
    ],
    [
      'a removed argument',
      without('(currency: String)'),
      '{ orders { total(currency: "EUR") } }',
      '{ orders { total } }',
    ],
    [
      'a new required argument',
      BEFORE.replace('currency: String', 'currency: String!'),
      '{ orders { total } }',
      '{ orders { id } }',
    ],
    [
      'a removed enum value that a literal names',
      without('LOST'),
      '{ orders(status: LOST) { id } }',
      '{ orders(status: OPEN) { id } }',
    ],
    ['a removed enum value that a response may hold', without('LOST'), '{ orders { status } }', '{ orders { id } }'],
    [
      'a removed enum value that a variable may hold',
      without('LOST'),
      'query ($f: Filter) { orders(filter: $f) { id } }',
      'query ($n: Int) { orders(first: $n) { id } }',
    ],
    [
      'a removed input field',
      without('tag: String'),
      '{ orders(filter: { tag: "a" }) { id } }',
      '{ orders(filter: { status: OPEN }) { id } }',
    ],
    [
      'a removed input field of a variable',
      without('wrap: String'),
      'mutation ($i: NewOrder!) { place(input: $i) { id } }',
      'mutation { place(input: { item: "a", options: { gift: true } }) { id } }',
    ],
    [
      'a new required input field',
      BEFORE.replace('note: String', 'note: String amount: Int!'),
      'mutation { place(input: { item: "a" }) { id } }',
      '{ orders { id } }',
    ],
    [
      'an input field that becomes required',
      BEFORE.replace('note: String', 'note: String!'),
      'mutation { place(input: { item: "a" }) { id } }',
      '{ orders { id } }',
    ],
    ['a field that becomes nullable', BEFORE.replace('[Order!]', '[Order]'), '{ orders { id } }', '{ quiet { a } }'],
    [
      'a removed member of a union',
      without('| Person'),
      '{ search(text: "a") { ... on Person { name } } }',
      '{ search(text: "a") { ... on Order { id } } }',
    ],
    [
      'a removed interface',
      without('implements Node'),
      '{ search(text: "a") { ... on Node { id } } }',
      '{ orders { id } }',
    ],
    [
      'a removed type',
      without('quiet: Quiet', 'type Quiet { a: String b: String }'),
      '{ quiet { a } }',
      '{ orders { id } }',
    ],
  ])('tells whom %s affects', async (_, after, affected, unaffected) => {
    const weigh = async (query: string) => {
      const file = join((await keep(metadataDirectory({}))).path, 'usage.jsonl');
      writeFileSync(file, usageFile([{ query, client: 'web' }]));
      const changes = await affectingChanges(schemaBefore, buildSchema(after));
      const usage = { usage: readUsage([file]), since: SINCE, now: NOW, allowUnused: true };
      const weighed = weighChanges(changes, usage, { schema: schemaBefore, roles: [] });
      return weighed.filter(({ breaking }) => breaking);
    };
    const changes = await weigh(affected);
    expect(changes.flatMap(({ usage }) => usage?.by ?? [])).toContainEqual(expect.objectContaining({ client: 'web' }));
    expect(changes.every(({ allowed }) => allowed)).toBe(false);
    const others = await weigh(unaffected);
    expect(others.length).toBeGreaterThan(0);
    expect(others.every(({ allowed }) => allowed)).toBe(true);
  });

  test.each([
    ['operation', 'used', 'used by client web, an operation whose line cannot be read, role clerk, once'],
    ['uses', 'unused', 'probably unused: unreadable usage lines: 1'],
  ])('lets nothing pass when a line of kind %s cannot be read', async (kind, verdict, text) => {
    const file = join((await keep(metadataDirectory({}))).path, 'usage.jsonl');
    const lines = usageFile([{ query: '{ quiet { a } }', client: 'web' }]).split('\n');
    writeFileSync(file, lines.map((line) => (line.includes(`"kind":"${kind}"`) ? line.slice(0, -9) : line)).join('\n'));
    const changes = await affectingChanges(schemaBefore, buildSchema(without('quiet: Quiet')));
    const usage = { usage: readUsage([file]), since: SINCE, now: NOW, allowUnused: true };
    const [weighed] = weighChanges(changes, usage, { schema: schemaBefore, roles: ['clerk'] });
    expect(weighed).toMatchObject({ breaking: true, usage: { verdict, unreadableLines: 1 } });
    expect(weighed).not.toHaveProperty('allowed');
    expect(weighed?.usage && usageText(weighed.usage)).toContain(text);
  });

  test('accepts no change that usage has no data about', async () => {
    const [before, after] = await Promise.all([
      keep(metadataDirectory({ 'services.yaml': [{ name: 'files', path: '/files', url: 'http://127.0.0.1:1' }] })),
      keep(metadataDirectory({})),
    ]);
    const file = join(before.path, 'usage-2026-03-01-0123456789ab-1.jsonl');
    writeFileSync(file, usageFile([]));
    const usage = { usage: readUsage([file]), since: SINCE, now: NOW, allowUnused: true };
    const { code, text } = await textOf({ location: after.path, against: before.path, usage });
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('/files was removed; usage does not tell whom it affects'),
    ]);
  });
});
