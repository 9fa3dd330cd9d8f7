import { describe, expect, test } from '@jest/globals';
import { describeProblem } from '../../../gateway/metadata/index.ts';
import { collection, load, problemsIn, remote } from './load.ts';

const TYPES = /* GraphQL */ `
  type Query {
    look(id: ID!): Order
  }
  type Mutation {
    order(item: ID!): Order
    other(item: ID!): Order
    third(item: ID!): Order
  }
  type Order {
    id: ID!
  }
`;

const OPERATIONS = {
  find: 'query ($id: ID!, $note: String) { item(id: $id, note: $note) { id } }',
  insert: 'mutation ($item: ID!) { insert(item: $item) { id } }',
  remove: 'mutation ($id: ID!) { remove(id: $id) { id } }',
  both: 'mutation { insert(item: 1) { id } remove(id: 1) { id } }',
  watch: 'subscription { items { id } }',
  two: 'query a { a } query b { b }',
  callOrder: 'mutation { order(item: 1) { id } }',
  callOther: 'mutation { ... on Mutation { ...More } } fragment More on Mutation { made: other(item: 1) { id } }',
  callThird: 'mutation { third(item: 1) { id } }',
  broken: 'query {',
};

const webhook = 'http://127.0.0.1:1/';
type Handlers = Readonly<Record<'look' | 'order' | 'other' | 'third', unknown>>;

function files(handlers: Partial<Handlers>, more: Readonly<Record<string, unknown>> = {}, definition = {}) {
  const names = ['look', 'order', 'other', 'third'] as const;
  const actions = names.map((name) => ({
    name,
    definition: { handler: handlers[name] ?? webhook, ...(handlers[name] !== undefined && definition) },
    permissions: [{ role: 'user' }, { role: 'clerk' }],
  }));
  return {
    'remote_schemas.yaml': [remote('shop')],
    'actions.graphql': TYPES,
    'actions.yaml': { actions },
    'query_collections.yaml': [collection('saved', OPERATIONS)],
    ...more,
  };
}

const run = (operation: string, more: object = {}) => ({ operation, collection: 'saved', ...more });
const step = (name: string, operation: string, more: object = {}) => ({ name, ...run(operation, more) });
const ITEM = '{ "item": {{$body.input.item}} }';

function problems(...given: Parameters<typeof files>): readonly string[] {
  return problemsIn(files(...given), { hasJobsDatabase: true }).map(describeProblem);
}

describe('a handler that runs saved operations', () => {
  test('is loaded with its operations', () => {
    const chain = {
      steps: [
        step('found', 'find', { variables: '{ "id": {{$body.input.item}} }', role: 'clerk' }),
        { fail: { if: '{{ $steps.found == null }}', message: 'there is no such item', code: 'no-item' } },
        step('made', 'insert', {
          variables: ITEM,
          compensate: run('remove', { variables: '{ "id": {{$steps.made.id}} }' }),
        }),
        step('last', 'insert', { variables: ITEM, when: '{{ $steps.found.id != null }}' }),
      ],
      response: '{ "id": {{$steps.made.id}} }',
    };
    const { operationHandlers, warnings } = load(files({ order: chain, other: run('insert', { variables: ITEM }) }));
    const order = operationHandlers.actions.get('order');
    expect(order).toMatchObject({ kind: 'actions', isChain: true });
    expect(order?.steps).toMatchObject([
      { name: 'found', role: 'clerk', saved: { query: OPERATIONS.find }, resultKey: 'item' },
      { fail: { code: 'no-item' } },
      { name: 'made', role: undefined, compensation: { saved: { name: 'remove' } } },
      { name: 'last', compensation: undefined },
    ]);
    expect(operationHandlers.actions.get('other')).toMatchObject({ isChain: false, steps: [{ name: 'insert' }] });
    expect(operationHandlers.actions.has('third')).toBe(false);
    expect(warnings).toEqual([]);
  });

  test.each<[string, Partial<Handlers>, RegExp]>([
    [
      'an unknown collection',
      { order: { operation: 'insert', collection: 'savd' } },
      /^actions\.yaml:\d+ .*handler\.collection: there is no collection "savd": did you mean "saved"\?$/,
    ],
    [
      'an unknown operation',
      { order: run('inserts') },
      /handler\.operation: there is no query "inserts" in the collection "saved": did you mean "insert"\?$/,
    ],
    ['a subscription', { order: run('watch') }, /is a subscription, which a handler cannot run/],
    ['two operations', { order: run('two') }, /must contain exactly one operation/],
    ['a syntax error', { order: run('broken') }, /is not valid GraphQL/],
    [
      'a required variable that is not set',
      { order: run('insert') },
      /handler\.operation: the operation "insert" requires the variable \$item/,
    ],
    [
      'a variable that does not exist',
      { order: run('insert', { variables: '{ "item": 1, "itme": 2 }' }) },
      /handler\.variables: the operation "insert" declares no variable \$itme: did you mean "item"\?/,
    ],
    [
      'an unknown variable of the template',
      { order: run('insert', { variables: '{ "item": {{$input.item}} }' }) },
      /handler\.variables: line 1, column \d+ of the template: unknown variable "\$input"/,
    ],
    [
      'an unknown role',
      { order: run('insert', { variables: ITEM, role: 'clrek' }) },
      /handler\.role: there is no role "clrek": no permission names it: did you mean "clerk"\?/,
    ],
    [
      'a mutation for a query',
      { look: run('insert', { variables: '{ "item": 1 }' }) },
      /the action is a query, but the operation "insert" is a mutation/,
    ],
    [
      'an unknown key',
      { order: run('insert', { variable: ITEM }) },
      /handler\.variable: unknown key: did you mean "variables"\?|variable.*did you mean "variables"/,
    ],
  ])('is refused with %s', (_, handlers, message) => {
    expect(problems(handlers)).toEqual([expect.stringMatching(message)]);
  });

  test('refuses what only a webhook needs', () => {
    const definition = {
      headers: [{ name: 'x-key', value: '1' }],
      forward_client_headers: true,
      resilience: { retries: { limit: 1 }, concurrency: { max_in_flight: 1 } },
    };
    expect(problems({ order: run('insert', { variables: ITEM }) }, {}, definition)).toEqual([
      expect.stringMatching(/"headers" is for webhooks/),
      expect.stringMatching(/"forward_client_headers" is for webhooks/),
      expect.stringMatching(/"retries" is for webhooks/),
    ]);
  });

  test.each([
    [{ field: { type: 'Item', name: 'order', key: 'id' } }, /"field" is for webhooks/],
    [{ kind: 'asynchronous', job: { progress: true } }, /"progress" is for webhooks/],
    [{ kind: 'subscription' }, /the handler of a subscription must be a webhook/],
  ])('%j is refused', (definition, message) => {
    const found = problems({ order: run('insert', { variables: ITEM }) }, {}, definition);
    expect(found).toContainEqual(expect.stringMatching(message));
  });
});

describe('a chain', () => {
  const chain = (...steps: readonly object[]) => ({ order: { steps, response: '{ "id": 1 }' } });
  const insert = (name: string, more: object = {}) => step(name, 'insert', { variables: ITEM, ...more });

  test.each<[string, Partial<Handlers>, RegExp]>([
    [
      'a mutation that a later failure would leave',
      chain(insert('made'), insert('last')),
      /steps\[0\].*the step "made" is a mutation, and a later step may fail: expected compensate/,
    ],
    [
      'a mutation before a step that fails',
      chain(insert('made'), { fail: { if: 'true', message: 'no', code: 'no' } }),
      /the step "made" is a mutation/,
    ],
    [
      'a compensated query',
      chain(step('found', 'find', { variables: '{ "id": 1 }', compensate: 'none' }), insert('last')),
      /steps\[0\]\.compensate: the step "found" is a query/,
    ],
    [
      'a query that compensates',
      chain(insert('made', { compensate: run('find', { variables: '{ "id": 1 }' }) }), insert('last')),
      /compensate\.operation: the operation "find" is no mutation/,
    ],
    [
      'a mutation that may succeed in part',
      chain(step('made', 'both', { compensate: 'none' }), insert('last')),
      /the step "made" runs a mutation with several root fields/,
    ],
    [
      'a result of a later step',
      chain(insert('made', { compensate: 'none', when: '{{ $steps.last.id == 1 }}' }), insert('last')),
      /steps\[0\]\.when: a template reads \$steps\.last, but no earlier step has this name/,
    ],
    [
      'a misspelt result',
      { order: { steps: [insert('made')], response: '{ "id": {{$steps.maed.id}} }' } },
      /handler\.response: a template reads \$steps\.maed.*did you mean "made"/,
    ],
    [
      'two steps of one name',
      chain(insert('made', { compensate: 'none' }), insert('made')),
      /steps\[1\]\.name: the step "made" already exists/,
    ],
    ['no step', chain(), /expected at least one step/],
    [
      'a word for none',
      chain(insert('made', { compensate: 'nothing' }), insert('last')),
      /steps\[0\]\.compensate: expected none, or a mapping/,
    ],
    [
      'an unknown key of a compensation',
      chain(insert('made', { compensate: { ...run('remove'), variabels: '{}' } }), insert('last')),
      /steps\[0\]\.compensate\.variabels.*did you mean "variables"/,
    ],
  ])('is refused with %s', (_, handlers, message) => {
    expect(problems(handlers)).toEqual([expect.stringMatching(message)]);
  });

  test('has a limited number of steps', () => {
    const steps = Array.from({ length: 3 }, (_, index) => step(`s${index}`, 'find', { variables: '{ "id": 1 }' }));
    const limited = { hasJobsDatabase: true, handlerLimits: { maxSteps: 2, maxDepth: 5 } };
    expect(problemsIn(files(chain(...steps)), limited).map(describeProblem)).toEqual([
      expect.stringMatching(/the chain has 3 steps: the limit is 2 \(PORTICO_HANDLER_MAX_STEPS\)/),
    ]);
  });
});

describe('handlers that call each other', () => {
  test('are refused with the whole circle, over steps, fragments and compensations', () => {
    const third = {
      steps: [
        step('made', 'insert', { variables: ITEM, compensate: run('callOrder') }),
        step('last', 'insert', { variables: ITEM }),
      ],
      response: '{ "id": 1 }',
    };
    const found = problems({ order: run('callOther'), other: run('callThird'), third });
    expect(found).toEqual([
      expect.stringMatching(
        /^actions\.yaml:\d+ actions\[3\]\.definition\.handler\.steps\[0\]\.compensate: handlers call each other in a circle: "order" runs "saved\/callOther", which calls "other", which runs "saved\/callThird", which calls "third", which runs "saved\/callOrder", which calls "order"$/,
      ),
    ]);
  });

  test('a handler that calls its own action is refused', () => {
    expect(problems({ order: run('callOrder') })).toEqual([
      expect.stringMatching(/in a circle: "order" runs "saved\/callOrder", which calls "order"$/),
    ]);
  });

  test('an asynchronous action in the circle does not end it', () => {
    expect(problems({ order: run('callOrder') }, {}, { kind: 'asynchronous' })).toEqual([
      expect.stringMatching(/in a circle/),
    ]);
  });

  test('may be nested up to a limit', () => {
    const handlers = { order: run('callOther'), other: run('callThird'), third: run('insert', { variables: ITEM }) };
    const limits = (maxDepth: number) => ({ hasJobsDatabase: true, handlerLimits: { maxSteps: 20, maxDepth } });
    expect(() => load(files(handlers), limits(3))).not.toThrow();
    expect(problemsIn(files(handlers), limits(2)).map(describeProblem)).toEqual([
      expect.stringMatching(/handlers are nested 3 deep from "order" on: the limit is 2 \(PORTICO_HANDLER_MAX_DEPTH\)/),
    ]);
  });
});

describe('the handler of work without a caller', () => {
  const trigger = (more: object) => ({ 'cron_triggers.yaml': [{ name: 'nightly', schedule: '0 0 * * *', ...more }] });
  const handler = run('insert', { variables: '{ "item": {{$body.payload.item}} }', role: 'clerk' });
  const subscription = (more: object) => ({
    'deliveries.yaml': { subscriptions: [{ name: 'paid', types: ['paid'], all_tenants: true, ...more }] },
  });

  test('has the role and the session variables of the metadata', () => {
    const session_variables = { 'X-Hasura-User-Id': 7 };
    const { operationHandlers } = load(
      files({}, { ...trigger({ handler: { ...handler, session_variables } }), ...subscription({ handler }) }),
      { hasJobsDatabase: true },
    );
    expect(operationHandlers.cronTriggers.get('nightly')).toMatchObject({
      role: 'clerk',
      sessionVariables: { 'x-hasura-user-id': '7' },
    });
    expect(operationHandlers.deliveries.get('paid')?.steps).toMatchObject([{ role: 'clerk' }]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
    [
      'no role',
      trigger({ handler: { ...handler, role: undefined } }),
      /^cron_triggers\.yaml:\d+ .*handler\.role: is missing/,
    ],
    ['a webhook too', trigger({ handler, webhook }), /expected exactly one of webhook and handler/],
    ['nothing to run', trigger({}), /expected exactly one of webhook and handler/],
    [
      'a role among the variables',
      trigger({ handler: { ...handler, session_variables: { 'x-hasura-role': 'admin' } } }),
      /the key "role" sets the role/,
    ],
    [
      'a tenant of its own for events',
      subscription({ handler: { ...handler, session_variables: { 'x-hasura-tenant-id': 2 } } }),
      /x-hasura-tenant-id is the tenant of the event/,
    ],
    ['headers', trigger({ handler, headers: [{ name: 'x-a', value: 'b' }] }), /"headers" is for webhooks/],
    ['a webhook without a secret', subscription({ webhook }), /secret_from_env: is missing: expected string/],
  ])('is refused with %s', (_, more, message) => {
    expect(problems({}, more)).toEqual([expect.stringMatching(message)]);
  });
});
