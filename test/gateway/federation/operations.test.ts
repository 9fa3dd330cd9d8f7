import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { GraphQLScalarType, parseValue, valueFromASTUntyped } from 'graphql';
import { responseObject } from '../../../gateway/planning/joins/index.ts';
import { eventsRequest } from './open-federated-graph.ts';
import { federate, type World } from './world.ts';

/** A number that is read as it was written. */
const Decimal = new GraphQLScalarType({
  name: 'Decimal',
  parseValue: String,
  parseLiteral: (node) => ('value' in node ? node.value : undefined),
});

let bank: World;
let journal: string[];

beforeAll(async () => {
  bank = await federate({
    accounts: {
      sdl: `type Query { account(id: ID!, currency: String): Account accounts(where: Where, limit: Int = 2): [Account!]! }
        type Mutation { open(name: String!): Account! close(id: ID!): Account! rename(id: ID!, name: String!): Account! }
        type Subscription { opened(branch: String): Account! }
        input Where { name: String ids: [ID!] }
        scalar Decimal
        """
            An account,
        \u2028 with white space of Unicode
        """
        type Account @key(fields: "id") {
          id: ID! name: String echo(text: String): String sum(of: [Decimal!], from: Decimal = 98765432109876543210, to: Decimal = 10000000000000000000): String owner(id: ID, share: Float): String
          title(short: Boolean): String
        }`,
      resolvers: {
        Decimal,
        Query: {
          account: (_: unknown, { id, currency }: { id: string; currency?: string }) => ({
            id,
            name: currency ?? 'none',
          }),
          accounts: (_: unknown, args: { where?: { name?: string }; limit: number }) =>
            Array.from({ length: args.limit }, (_one, at) => ({ id: String(at), name: args.where?.name ?? null })),
        },
        Mutation: {
          open: (_: unknown, { name }: { name: string }) => note(`open ${name}`, { id: name, name }),
          close: (_: unknown, { id }: { id: string }) => note(`close ${id}`, { id }),
          rename: (_: unknown, { id, name }: { id: string; name: string }) => note(`rename ${id}`, { id, name }),
        },
        Account: {
          __resolveReference: ({ id }: { id: string }) => note(`read ${id}`, { id, name: `read ${id}` }),
          title: (_: unknown, { short }: { short?: boolean }) => (short ? 'Dr' : 'Doctor'),
          echo: (_: unknown, { text }: { text?: string }) => text ?? null,
          sum: (_: unknown, { of }: { of: string[] }) => of.join(' '),
          owner: (_: unknown, { id, share }: { id?: string; share?: number }) => `${id} ${share}`,
        },
      },
    },
    ledger: {
      sdl: `type Mutation { book(account: ID!, amount: Int!): Account! }
        type Account @key(fields: "id") { id: ID! balance(currency: String): String last: Int
          title(short: Boolean): String @external greeting: String @requires(fields: "title(short: true)") }`,
      resolvers: {
        Mutation: {
          book: (_: unknown, { account, amount }: { account: string; amount: number }) =>
            note(`book ${account} ${amount}`, { id: account }),
        },
        Account: {
          __resolveReference: (key: object) => key,
          greeting: ({ title }: { title: string }) => `dear ${title}`,
          balance: ({ id }: { id: string }, { currency }: { currency?: string }) =>
            note(`balance ${id}`, `${id} ${currency ?? 'EUR'}`),
          last: () => 3,
        },
      },
    },
  });
});
beforeEach(() => {
  journal = [];
  bank.forget();
});
afterAll(() => bank.close());

function note<T>(entry: string, value: T): T {
  journal.push(entry);
  return value;
}

test('numbers of any size and precision reach the services as they were written', async () => {
  const numbers = '0.10 1.0 -0 12345678901234567890 10000000000000000000 0.1234567890123456789 1e400 7 -7.5'.split(' ');
  const document = `query Q($of: [Decimal!] = [1.50]) {
    accounts(limit: 1) {
      balance(currency: "__number_0 1.0")
      sum(of: [${numbers}])
      same: sum(of: $of)
      owner(id: 98765432109876543210, share: 1e3)
      echo(text: "1.50")
    }
  }`;
  const { data, errors } = await bank.ask(document);
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    accounts: [
      {
        balance: '0 __number_0 1.0',
        sum: numbers.join(' '),
        same: '1.50',
        owner: '98765432109876543210 1000',
        echo: '1.50',
      },
    ],
  });
});

test.each([
  '"\\b \\" \\\\b \\u0008 \\f \\u0000 \\u{1F600} \u2028 ü"',
  '"""\u2028"""',
  '"""\n    four\n  two\n\u2028 ü\n"""',
  '"""\n  a \\""" b\\u0041\n\n    c "\n  """',
])('the string %j reaches the service as it was written', async (literal) => {
  const { data } = await bank.ask(`{ account(id: "a") { echo(text: ${literal}) } }`);
  expect(data).toEqual({ account: { echo: valueFromASTUntyped(parseValue(literal)) } });
});

test('variables go to the services that use them, and to no other', async () => {
  const document = `query Q($id: ID!, $currency: String, $unused: Int, $text: String) {
    account(id: $id) { balance(currency: $currency) echo(text: $text) } }`;
  const { data } = await bank.ask(document, { id: 'a', currency: 'CHF', text: 'he said "hi"\n' });
  expect(data).toEqual({ account: { balance: 'a CHF', echo: 'he said "hi"\n' } });
  expect(bank.calls.map(({ subgraph, variables }) => [subgraph, variables])).toEqual([
    ['accounts', { id: 'a', text: 'he said "hi"\n' }],
    ['ledger', { currency: 'CHF', representations: [{ __typename: 'Account', id: 'a' }] }],
  ]);
});

test('defaults of the operation and of the services hold; null is a value', async () => {
  const document = `query Q($limit: Int = 1, $where: Where = { name: "d" }, $id: ID = "z") {
    accounts(limit: $limit, where: $where) { name balance } account(id: $id) { id } }`;
  expect((await bank.ask(document)).data).toEqual({
    accounts: [{ name: 'd', balance: '0 EUR' }],
    account: { id: 'z' },
  });
  const { data } = await bank.ask(document, { limit: 2, where: null });
  expect(data).toMatchObject({ accounts: [{ name: null }, { name: null }] });
});

test.each(['representations', '__batch_reps_0'])('a variable may be called %s', async (name) => {
  const document = `query ($${name}: String) { account(id: "a") { balance(currency: $${name}) }
    accounts(limit: 1) { balance(currency: $${name}) last } }`;
  expect(await bank.ask(document, { [name]: 'USD' })).toEqual({
    data: { account: { balance: 'a USD' }, accounts: [{ balance: '0 USD', last: 3 }] },
  });
});

test('a field that @skip or @include takes out is not fetched, whatever joins it would need', async () => {
  const document = `query ($a: Boolean!, $b: Boolean = true) {
    account(id: "x") { id name @skip(if: $a) ...F @include(if: $a) last @include(if: $b) @skip(if: $a) }
    accounts @include(if: $a) { id @skip(if: $b) } }
    fragment F on Account { balance last @include(if: $b) }`;
  expect((await bank.ask(document, { a: true })).data).toEqual({
    account: { id: 'x', balance: 'x EUR', last: 3 },
    accounts: [{}, {}],
  });
  expect(bank.counts()).toEqual({ accounts: 1, ledger: 1 });
  bank.forget();
  expect((await bank.ask(document, { a: false, b: false })).data).toEqual({ account: { id: 'x', name: 'none' } });
  expect(bank.counts()).toEqual({ accounts: 1 });
  bank.forget();
  expect((await bank.ask(document, { a: false })).data).toEqual({ account: { id: 'x', name: 'none', last: 3 } });
  expect(
    (await bank.ask('{ account(id: "x") @skip(if: true) { id } ... @include(if: false) { accounts { id } } }')).data,
  ).toEqual({});
  expect(bank.counts()).toEqual({ accounts: 1, ledger: 1 });
});

test('a document that many conditions decide about is answered right for each of them', async () => {
  const names = Array.from({ length: 6 }, (_, at) => `v${at}`);
  const fields = names.map((name) => `${name}: last @include(if: $${name})`).join(' ');
  const prepared = bank.graph.prepare(
    `query (${names.map((name) => `$${name}: Boolean!`).join()}) { account(id: "x") { id ${fields} } }`,
  );
  for (let bits = 0; bits < 64; bits += 3) {
    const values = Object.fromEntries(names.map((name, at) => [name, ((bits >> at) & 1) === 1]));
    const chosen = names.filter((name) => values[name]).map((name) => [name, 3]);
    const { data } = responseObject(await prepared.run(values, undefined));
    expect(data).toEqual({ account: { id: 'x', ...Object.fromEntries(chosen) } });
  }
});

test('a mutation is finished, joins and all, before the next one starts', async () => {
  const document = `mutation { a: open(name: "a") { balance } b: book(account: "a", amount: 1) { name }
    c: rename(id: "a", name: "n") { id } d: close(id: "a") { balance } e: book(account: "a", amount: 2) { last } }`;
  expect(await bank.ask(document)).toEqual({
    data: { a: { balance: 'a EUR' }, b: { name: 'read a' }, c: { id: 'a' }, d: { balance: 'a EUR' }, e: { last: 3 } },
  });
  expect(journal).toEqual([
    'open a',
    'balance a',
    'book a 1',
    'read a',
    'rename a',
    'close a',
    'balance a',
    'book a 2',
  ]);
  // c and d are neighbours in one service: one request.
  expect(bank.counts()).toEqual({ accounts: 3, ledger: 4 });
});

test('mutations of one service are one request', async () => {
  await bank.ask(
    'mutation { a: open(name: "a") { id } b: rename(id: "a", name: "n") { name } c: close(id: "a") { last } }',
  );
  expect(bank.counts()).toEqual({ accounts: 1, ledger: 1 });
  expect(journal).toEqual(['open a', 'rename a', 'close a']);
});

test('a mutation that is selected several times under one key runs once', async () => {
  const document = `mutation { a: open(name: "a") { id } ...More ... { a: open(name: "a") { balance } } c: close(id: "a") { id } }
    fragment More on Mutation { a: open(name: "a") { id name } }`;
  expect(await bank.ask(document)).toEqual({
    data: { a: { id: 'a', name: 'a', balance: 'a EUR' }, c: { id: 'a' } },
  });
  expect(journal).toEqual(['open a', 'balance a', 'close a']);
});

test('a mutation of several services may select a field that another one requires with other arguments', async () => {
  const document =
    'mutation { open(name: "a") { title greeting } book(account: "a", amount: 1) { id greeting title } }';
  expect(await bank.ask(document)).toEqual({
    data: {
      open: { title: 'Doctor', greeting: 'dear Dr' },
      book: { id: 'a', greeting: 'dear Dr', title: 'Doctor' },
    },
  });
});

test('an event of a subscription is joined like an answer', async () => {
  const prepared = bank.graph.prepareSubscription(
    'subscription S($branch: String, $more: Boolean!) { new: opened(branch: $branch) { id balance @include(if: $more) } }',
  );
  const planned = await prepared.plan({ more: true });
  const { subgraph, variables } = eventsRequest(planned, { branch: 'north', more: true });
  expect(subgraph).toBe('accounts');
  expect(variables).toMatchObject({ branch: 'north' });
  const event = (id: string) => ({ data: { new: { __typename: 'Account', id } } });
  const joined = await planned.join(event('e1'), { more: true }, undefined);
  expect(responseObject(joined)).toEqual({ data: { new: { id: 'e1', balance: 'e1 EUR' } } });
  const without = await prepared.plan({ more: false });
  expect(responseObject(await without.join(event('e2'), { more: false }, undefined))).toEqual({
    data: { new: { id: 'e2' } },
  });
  const failed = await planned.join(
    { errors: [{ message: 'gone', path: ['new'] }], data: null },
    { more: true },
    undefined,
  );
  expect(responseObject(failed)).toMatchObject({ data: null, errors: [{ message: 'gone', path: ['new'] }] });
});

test('one of several operations is chosen by its name', () => {
  const document = 'query A { account(id: "1") { id } } mutation B { open(name: "x") { id } }';
  expect(bank.graph.prepare(document, 'B').kind).toBe('mutation');
  expect(() => bank.graph.prepare(document)).toThrow('no such operation');
  expect(() => bank.graph.prepare('subscription { opened { id } }')).toThrow('does not have a single response');
});

test('an operation that selects what no service has is refused, without its values', () => {
  expect(() => bank.graph.prepare('{ account(id: "top secret") { nope } }')).toThrow(
    /^Query\.account\.nope cannot be reached: no key leads to a service that has it$/,
  );
});
