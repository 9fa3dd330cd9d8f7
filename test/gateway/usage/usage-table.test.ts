import { describe, expect, test } from '@jest/globals';
import { usageFileText } from '../../../gateway/operations/usage/usage-file.ts';
import { type OperationDescription, UsageTable } from '../../../gateway/operations/usage/usage-table.ts';
import { atOnce } from '../../../platform/index.ts';

const described = (name: string, coordinates: readonly string[] = ['Query.orders']): OperationDescription => ({
  id: `id-${name}`,
  type: 'query',
  name,
  coordinates,
});
const headersOf = (name: string, version?: string) => ({
  'apollographql-client-name': name,
  ...(version !== undefined && { 'graphql-client-version': version }),
});

interface Line {
  readonly kind: string;
  readonly [member: string]: unknown;
}

const linesOf = (table: UsageTable): Line[] =>
  atOnce(usageFileText(table, 'abc', Date.now()))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Counts one use, as a request does. */
function count(
  table: UsageTable,
  {
    name,
    role = 'clerk',
    headers = {},
    isPublic = false,
  }: {
    name: string;
    role?: string;
    headers?: Record<string, string>;
    isPublic?: boolean;
  },
) {
  const operation = table.operation(described(name, [`Query.${name.slice(0, 3)}`]), isPublic);
  table.uses(table.role(operation, role), table.clients.of(headers, isPublic)).count += 1;
}
const total = (table: UsageTable) =>
  linesOf(table).reduce((sum, { kind, count }) => sum + (kind === 'uses' ? (count as number) : 0), 0);

describe('the usage table', () => {
  test('counts by operation, client, version and role', () => {
    const table = new UsageTable({ operations: 10, clients: 10 });
    for (let i = 0; i < 3; i++) count(table, { name: 'orders', headers: headersOf('web', '1.4') });
    count(table, { name: 'orders', headers: headersOf('web', '1.5') });
    count(table, { name: 'orders', role: 'admin' });
    const [head, operation, ...uses] = linesOf(table);
    expect(head).toMatchObject({ kind: 'usage', version: 1, instance: 'abc', from: expect.any(String) });
    expect(operation).toEqual({
      kind: 'operation',
      id: 'id-orders',
      type: 'query',
      name: 'orders',
      coordinates: ['Query.ord'],
    });
    expect(uses).toMatchObject([
      { kind: 'uses', operation: 'id-orders', client: 'web', version: '1.4', role: 'clerk', count: 3, errors: 0 },
      { client: 'web', version: '1.5', role: 'clerk', count: 1 },
      { role: 'admin', count: 1 },
    ]);
    expect(uses[2]).not.toHaveProperty('client');
  });

  test('keeps no more than its bounds of 100,000 operations, clients and roles, and loses no count', () => {
    const table = new UsageTable({ operations: 50, clients: 20 });
    for (let i = 0; i < 100_000; i++)
      count(table, { name: `${i % 1000}-${i}`, role: `role-${i}`, headers: headersOf(`name-${i}`, `${i}`) });
    const lines = linesOf(table);
    expect(total(table)).toBe(100_000);
    expect(lines.filter(({ kind }) => kind === 'operation').length).toBeLessThanOrEqual(51);
    expect(new Set(lines.map(({ client }) => client)).size).toBeLessThanOrEqual(22);
    expect(lines.length).toBeLessThan(2_000);
    const other = lines.find(({ id }) => id === 'other');
    // What is not told apart is still known to be used.
    expect(other?.coordinates).toEqual(expect.arrayContaining(['Query.999', 'Query.123']));
    expect(table.isFull).toBe(true);
  });

  test('keeps apart fifty versions of a client, and counts the others together', () => {
    const table = new UsageTable({ operations: 50, clients: 20 });
    for (let i = 0; i < 1_000; i++) count(table, { name: 'orders', headers: headersOf('web', `1.${i}`) });
    const uses = linesOf(table).filter(({ kind }) => kind === 'uses');
    expect(uses).toHaveLength(51);
    expect(uses.at(-1)).toMatchObject({ client: 'web', version: 'other', count: 950 });
  });

  test('keeps room for callers with a session', () => {
    const table = new UsageTable({ operations: 50, clients: 20 });
    for (let i = 0; i < 1_000; i++)
      count(table, { name: `public${i}`, headers: headersOf(`public${i}`), isPublic: true });
    count(table, { name: 'orders', headers: headersOf('web', '1.4') });
    expect(linesOf(table).filter(({ kind }) => kind === 'operation')).toHaveLength(7);
    expect(linesOf(table).at(-1)).toMatchObject({ operation: 'id-orders', client: 'web', version: '1.4' });
  });

  test('cleans the names of clients, which may be anything', () => {
    const table = new UsageTable({ operations: 50, clients: 20 });
    const hostile = [
      'a\nb',
      '"},{"',
      '\u001b[31m',
      'x'.repeat(100_000),
      Buffer.from('Bestellübersicht').toString('latin1'),
    ];
    for (const name of hostile) count(table, { name: 'orders', headers: headersOf(name, name) });
    const names = linesOf(table).flatMap(({ client }) => (client === undefined ? [] : [client]));
    expect(names).toEqual(['a?b', '"},{"', '?[31m', `${'x'.repeat(63)}…`, 'Bestellübersicht']);
  });

  test('bounds the coordinates of all operations together', () => {
    const table = new UsageTable({ operations: 10, clients: 10 });
    const many = (name: string) => Array.from({ length: 600 }, (_, index) => `Query.${name}${index}`);
    table.operation(described('one', many('one')), false);
    expect(table.operation(described('two', many('two')), false).id).toBe('other');
    expect(table.operation(described('three', ['Query.three']), false).id).toBe('id-three');
  });

  test.each([
    ['clients', (i: number) => ({ headers: headersOf(`name-${i}`) })],
    ['versions', (i: number) => ({ headers: headersOf('web', `1.${i}`) })],
    ['roles', (i: number) => ({ role: `role-${i}` })],
  ])('is full when some %s are not told apart', (_, nth) => {
    const table = new UsageTable({ operations: 100, clients: 20 });
    for (let i = 0; i < 20; i++) count(table, { name: 'orders', ...nth(i) });
    expect(table.isFull).toBe(false);
    for (let i = 20; i < 150; i++) count(table, { name: 'orders', ...nth(i) });
    expect(table.isFull).toBe(true);
  });
});
