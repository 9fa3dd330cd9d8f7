import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { print } from 'graphql';
import { describeProblem, loadMetadata, MetadataError } from '../../../gateway/metadata/index.ts';
import { keeper, type MetadataFiles, writeMetadata } from '../harness/index.ts';

const { keep, close } = keeper();
afterEach(close);

/** Everything that is wrong with the metadata, a line each. */
async function problemsOf(files: MetadataFiles, location = '.'): Promise<readonly string[]> {
  const { directory } = await keep(writeMetadata(files));
  try {
    loadMetadata(join(directory, location));
  } catch (error) {
    if (error instanceof MetadataError) return error.problems.map(describeProblem);
    throw error;
  }
  return [];
}

const yaml = (definition: string, name = 'a') => `actions:
  - name: ${name}
    definition:
      handler: http://a.test
${definition.replace(/^/gm, '      ')}
`;
const TYPES = 'type Query { a(x: Int): Int }';

describe('an invalid template is reported with file, line and place', () => {
  test.each([
    [
      "request_transform:\n  url: '{{$base_url'",
      'actions.yaml:6 actions[0].definition.request_transform.url: line 1, column 12 of the template: expected "}}", found the end of the template',
    ],
    [
      'request_transform:\n  version: 2\n  body:\n    action: transform\n    template: |\n      {\n        "a": {{$input.a}}\n      }',
      'actions.yaml:9 actions[0].definition.request_transform.body.template: line 2, column 10 of the template: unknown variable "$input": expected one of $body, $base_url, $session_variables, $query_params',
    ],
    [
      "request_transform:\n  url: '{{ACTIONS_URL}}/x'",
      'actions.yaml:6 actions[0].definition.request_transform.url: line 1, column 3 of the template: unknown variable "ACTIONS_URL": expected one of $body, $base_url, $session_variables, $query_params',
    ],
    [
      "request_transform:\n  query_params:\n    a: 'x'\n    b: '{{trim($body.input.b)}}'",
      'actions.yaml:8 actions[0].definition.request_transform.query_params.b: line 1, column 3 of the template: unknown function "trim"',
    ],
    [
      "request_transform:\n  request_headers:\n    add_headers:\n      x-a: '{{'",
      'actions.yaml:8 actions[0].definition.request_transform.request_headers.add_headers.x-a: line 1, column 3 of the template: expected a value, found the end of the template',
    ],
    [
      "request_transform:\n  version: 2\n  body:\n    action: x_www_form_urlencoded\n    form_template:\n      a: '{{ $body. }}'",
      'actions.yaml:10 actions[0].definition.request_transform.body.form_template.a: line 1, column 11 of the template: expected the name of a field, found "}"',
    ],
    [
      'response_transform:\n  body: \'{"a": {{$base_url}}}\'',
      'actions.yaml:6 actions[0].definition.response_transform.body: line 1, column 9 of the template: unknown variable "$base_url": expected one of $body, $response, $session_variables, $request',
    ],
  ])('%j', async (definition, problem) => {
    const problems = await problemsOf({ 'actions.yaml': yaml(definition), 'actions.graphql': TYPES });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

describe('a transform of another shape is reported', () => {
  test.each([
    ['request_transform:\n  version: 3', 'request_transform.version: expected 1 or 2'],
    ['request_transform:\n  template_engine: Liquid', 'request_transform.template_engine: expected Kriti'],
    ['request_transform:\n  method: TRACE', 'request_transform.method: expected one of GET, POST, PUT, PATCH, DELETE'],
    ['request_transform:\n  methood: GET', 'request_transform.methood: unknown key "methood": did you mean "method"?'],
    ['request_transform:\n  version: 2\n  body: "{}"', 'request_transform.body: expected a mapping whose action is'],
    [
      'request_transform:\n  version: 2\n  body: { action: drop }',
      'request_transform.body.action: expected a mapping whose action is transform, remove or x_www_form_urlencoded',
    ],
    [
      'request_transform:\n  version: 2\n  body: { action: transform }',
      'request_transform.body.template: is missing: expected string',
    ],
    ['request_transform:\n  query_params: { a: [1] }', 'request_transform.query_params.a: expected a text'],
    [
      'request_transform:\n  request_headers: { add_headers: { Content-Length: 1 } }',
      'add_headers.Content-Length: this header is not for templates: it says how the message is sent',
    ],
    ['request_transform:\n  request_headers: { add_headers: { "a b": x } }', 'expected a header name'],
    [
      'response_transform:\n  version: 2\n  body: { action: x_www_form_urlencoded, form_template: {} }',
      'response_transform.body.action: expected a mapping whose action is transform or remove',
    ],
    ['webhook_signature: {}', 'webhook_signature.secret_from_env'],
    ['webhook_signatur: { secret_from_env: A }', 'unknown key "webhook_signatur": did you mean "webhook_signature"?'],
  ])('%j', async (definition, problem) => {
    const problems = await problemsOf({ 'actions.yaml': yaml(definition), 'actions.graphql': TYPES });
    expect(problems.join('\n')).toContain(problem);
    expect(problems).toHaveLength(1);
  });
});

describe('a subscription that cannot be one is reported', () => {
  const problemsWith = (definition: string, types = 'type Subscription { a: Int }') =>
    problemsOf({ 'actions.yaml': yaml(definition), 'actions.graphql': types });

  test.each([
    [
      'kind: subscripton',
      'actions.yaml:5 actions[0].definition.kind: expected synchronous, asynchronous or subscription',
    ],
    [
      'kind: subscription\nsubscription:\n  max_event_byte: 2000',
      'actions.yaml:7 actions[0].definition.subscription.max_event_byte: unknown key "max_event_byte": did you mean "max_event_bytes"?',
    ],
    [
      'kind: subscription\nsubscription:\n  events: all',
      'actions.yaml:7 actions[0].definition.subscription.events: expected events or state',
    ],
    [
      'kind: subscription\nsubscription:\n  max_events_per_second: 0',
      'actions.yaml:7 actions[0].definition.subscription.max_events_per_second: Too small: expected number to be >=1',
    ],
    [
      'kind: subscription\nauthentication_field: true',
      'actions.yaml:6 actions[0].definition.authentication_field: action "a": does not apply to the kind subscription',
    ],
    [
      'kind: subscription\nresilience:\n  concurrency: { max_in_flight: 3 }\n  deduplicate: never',
      'actions.yaml:7 actions[0].definition.resilience.concurrency: action "a": does not apply to the kind subscription',
    ],
    [
      'kind: subscription\njob: { max_attempts: 1 }',
      'actions.yaml:6 actions[0].definition.job: action "a": only asynchronous actions have jobs',
    ],
    [
      'timeout: 3',
      'actions.yaml:3 actions[0].definition.kind: action "a": a field of Subscription needs kind: subscription',
    ],
  ])('%j', async (definition, problem) => {
    expect((await problemsWith(definition))[0]).toBe(problem);
  });

  test.each([
    [
      'kind: subscription',
      'actions.yaml:5 actions[0].definition.kind: action "a": its field must be in type Subscription, not in type Query',
    ],
    [
      'subscription:\n  events: state',
      'actions.yaml:5 actions[0].definition.subscription: action "a": only actions of the kind subscription have it',
    ],
  ])('%j of a query', async (definition, problem) => {
    expect(await problemsWith(definition, TYPES)).toEqual([problem]);
  });
});

describe('invalid actions and types are reported together, in Hasura’s words', () => {
  test('with file and line', async () => {
    const actions = `actions:
  - name: a
    definition: { handler: http://a.test }
  - name: missing
    definition: { handler: http://a.test }
  - name: a
    definition: { handler: http://a.test }
  - name: later
    definition:
      kind: asynchronous
      handler: http://a.test
custom_types:
  objects:
    - name: Out
    - name: Gone
`;
    const types = `type Query {
  a(x: Nowhere, y: Out): In
  stranger: Int
}
extend type Query {
  a: Int
}
type Mutation {
  later(x: [[timestamptz!]!]): [Unknown!]!
}
type Out {
  f: In
  g: [Out!]
  h: Nothing!
}
input In {
  f: Out
  g: [In]
}
type Out { z: Int }
scalar ID
union U = Out
interface I { a: Int }
type Subscription { a: Int }
directive @d on FIELD
`;
    const problems = await problemsOf({ 'actions.yaml': actions, 'actions.graphql': types });
    expect(problems).toEqual([
      'actions.graphql:25: validation for the given custom types failed because expected object types, interfaces, unions, inputs, enums and scalars only, found: directive',
      'actions.yaml:4 actions[1].name: action missing is not present in actions.graphql',
      'actions.yaml:6 actions[2].name: action with name "a" already exists',
      'actions.graphql:3: stranger in actions.graphql is not an action of actions.yaml',
      'actions.graphql:6: action with name "a" already exists',
      'actions.graphql:24: action with name "a" already exists',
      'actions.graphql:20: validation for the given custom types failed because the type "Out" is defined twice',
      'actions.graphql:21: validation for the given custom types failed because the type "ID" is GraphQL’s own',
      'actions.yaml:15 custom_types.objects[1]: custom type Gone is not present in actions.graphql',
      'actions.graphql:2: the type: "Nowhere" is not defined in custom types or it is not a scalar/enum/input_object (argument "x" of action "a")',
      'actions.graphql:2: the type: "Out" is not defined in custom types or it is not a scalar/enum/input_object (argument "y" of action "a")',
      'actions.graphql:2: the type: "In" is not an object or scalar type defined in custom types (output of action "a")',
      'actions.graphql:9: the type: "Unknown" is not an object or scalar type defined in custom types (output of action "later")',
      'actions.graphql:12: validation for the given custom types failed because the type "In" of the field "f" of "Out" is not defined, or not of a kind that fits there',
      'actions.graphql:14: validation for the given custom types failed because the type "Nothing" of the field "h" of "Out" is not defined, or not of a kind that fits there',
      'actions.graphql:17: validation for the given custom types failed because the type "Out" of the field "f" of "In" is not defined, or not of a kind that fits there',
    ]);
  });

  test('when GraphQL cannot have them', async () => {
    expect(
      await problemsOf({
        'actions.yaml': yaml(''),
        'actions.graphql': `type Query {
  a(x: Loop): Empty
}
input Loop { again: Loop! }
type Empty
`,
      }),
    ).toEqual([
      'actions.graphql:4: validation for the given custom types failed because Cannot reference Input Object "Loop" within itself through a series of non-null fields: "again".',
      'actions.graphql:5: validation for the given custom types failed because Type Empty must define one or more fields.',
    ]);
  });

  test('when the types are no GraphQL', async () => {
    expect(await problemsOf({ 'actions.yaml': yaml(''), 'actions.graphql': 'type Query {\n  a: Int\n' })).toEqual([
      'actions.graphql:3: Syntax Error: Expected Name, found <EOF>.',
    ]);
  });

  test('without noise about types when the YAML is what is wrong', async () => {
    const problems = await problemsOf({ 'actions.yaml': 'actions: 1\n', 'actions.graphql': TYPES });
    expect(problems).toEqual(['actions.yaml:1 actions: expected array, received number']);
  });

  test('in a single-file export, at their place there', async () => {
    const { directory } = await keep(writeMetadata({}));
    const exported = {
      version: 3,
      sources: [],
      actions: [
        {
          name: 'a',
          definition: {
            handler: 'http://a.test',
            type: 'query',
            output_type: 'Out',
            arguments: [{ name: 'x', type: 'Nowhere' }],
          },
        },
      ],
      custom_types: { objects: [{ name: 'Out', fields: [{ name: 'id', type: 'Int' }] }] },
    };
    writeFileSync(join(directory, 'export.json'), JSON.stringify(exported, null, 2));
    expect(() => loadMetadata(join(directory, 'export.json'))).toThrow(
      /export\.json:\d+ custom_types: the type: "Nowhere" is not defined in custom types/,
    );
  });
});

describe('actions that fit', () => {
  test('have Postgres scalars defined, and comments as descriptions', async () => {
    const { directory } = await keep(
      writeMetadata({
        'actions.yaml': {
          actions: [
            { name: 'a', comment: 'What it does.', definition: { handler: 'http://a.test' } },
            { name: 'b', definition: { handler: 'http://a.test', kind: '' } },
          ],
        },
        'actions.graphql':
          'extend type Query { a(x: uuid): In2 } extend type Query { "As written." b(at: timestamptz!, in: In): numeric } input In { j: jsonb } scalar In2',
      }),
    );
    const { document, queries } = loadMetadata(directory).actionTypes;
    expect([...queries]).toEqual(['a', 'b']);
    expect(print(document)).toBe(`type Query {
  "What it does."
  a(x: uuid): In2
  "As written."
  b(at: timestamptz!, in: In): numeric
}

input In {
  j: jsonb
}

scalar In2

scalar uuid

scalar timestamptz

scalar numeric

scalar jsonb`);
  });

  test('may be none: files that are empty or hold comments only are fine', async () => {
    expect(await problemsOf({ 'actions.graphql': '\n# nothing yet\n' })).toEqual([]);
    expect(
      await problemsOf({ 'actions.yaml': 'actions: []\ncustom_types:\n  enums: []\n', 'actions.graphql': '' }),
    ).toEqual([]);
  });
});

describe('a relationship to a table that Hasura refuses is reported, though it has no effect', () => {
  const types = `
    type Query { look: Out }
    type Mutation { make: Out }
    type Out { id: Int! ids: [Int!]! inner: Inner }
    type Inner { id: Int }`;
  const metadata = (mapping: object, kind = 'synchronous') => ({
    actions: ['look', 'make'].map((name) => ({ name, definition: { handler: 'http://a.test', kind } })),
    custom_types: {
      objects: [
        { name: 'Out', relationships: [{ name: 'rows', type: 'object', remote_table: 'row', field_mapping: mapping }] },
        { name: 'Inner' },
      ],
    },
  });

  test.each([
    [
      'by a list',
      { ids: 'id' },
      'validation for the given custom types failed because the type of the field "ids" for relationship "rows" in object type "Out" is a list type',
    ],
    ['by an object', { inner: 'id' }, 'Relationships cannot be defined with nested object fields: "rows"'],
    [
      'by no field',
      { idd: 'id' },
      'validation for the given custom types failed because the field "idd" for relationship "rows" in object type "Out" does not exist',
    ],
  ])('%s', async (_, mapping, problem) => {
    const [key = ''] = Object.keys(mapping);
    expect(await problemsOf({ 'actions.yaml': metadata({ id: 'id', ...mapping }), 'actions.graphql': types })).toEqual([
      expect.stringMatching(
        new RegExp(`custom_types.objects\\[0\\].relationships\\[0\\].field_mapping.${key}: ${problem}$`),
      ),
    ]);
  });

  test('of an asynchronous action with nested objects', async () => {
    const files = (kind: string, sdl: string) => ({
      'actions.yaml': metadata({ id: 'id' }, kind),
      'actions.graphql': sdl,
    });
    expect(await problemsOf(files('asynchronous', types))).toEqual([
      expect.stringMatching(/actions\[1\]: Async action relations cannot be used with object fields: "inner"$/),
    ]);
    expect(await problemsOf(files('synchronous', types))).toEqual([]);
    expect(await problemsOf(files('asynchronous', types.replace(' inner: Inner', ' inner: Int')))).toEqual([]);
  });
});
