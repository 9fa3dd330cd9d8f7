import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { reportOf, textOf } from '../cli/run-check.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, type MetadataFiles, openGateway, until, writeMetadata } from '../harness/index.ts';
import { deskMetadata, openFrontDesk } from './front-desk.ts';

const { keep, close } = keeper();
afterAll(close);
const { issuer, desk, weather, calledAs } = await keep(openFrontDesk());
const environment = { DESK_URL: desk.graphqlUrl, WEATHER_URL: weather.url };
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const expired = issuer.token({ payload: { exp: 1 } });
const withDesk = (definition: object, more: MetadataFiles = {}): MetadataFiles => ({
  'remote_schemas.yaml': [deskMetadata(definition)],
  ...more,
});
const served = (metadata: MetadataFiles) => keepForTest(openGateway({ issuer, metadata, environment }));
const checked = async (metadata: MetadataFiles, against?: MetadataFiles) => {
  const place = await keepForTest(Promise.resolve(writeMetadata(metadata)));
  const other = against && (await keepForTest(Promise.resolve(writeMetadata(against))));
  return reportOf({ location: place.directory, environment, against: other?.directory });
};

const ACTION = {
  name: 'signIn',
  definition: { handler: '{{WEATHER_URL}}', authentication_field: true },
  permissions: [{ role: 'anonymous' }],
};
const withAction = (action: object): MetadataFiles => ({
  'actions.yaml': { actions: [action], custom_types: { objects: [{ name: 'Weather' }] } },
  'actions.graphql': 'type Mutation { signIn: Weather } type Weather { text: String }',
});

describe('an authentication field', () => {
  test('is an action whose definition says so', async () => {
    const gateway = await served(withAction(ACTION));
    const { body } = await gateway.graphql('mutation { signIn { text } }', { token: expired });
    expect([body, calledAs()]).toEqual([{ data: { signIn: { text: 'rain' } } }, ['anonymous']]);
    const twice = await gateway.graphql('mutation { signIn { text } again: signIn { text } }');
    expect(twice.body.errors?.[0]?.message).toBe('an operation may contain only one authentication field');
  });

  test('is no action that does not say so', async () => {
    const gateway = await served(withAction({ ...ACTION, definition: { handler: '{{WEATHER_URL}}' } }));
    expect((await gateway.graphql('mutation { signIn { text } }', { token: expired })).status).toBe(401);
  });

  test('is named as its service calls it, and sent as the graph does', async () => {
    const field_names = [{ parent_type: 'Mutation', prefix: 'desk_', mapping: { renew: 'refresh' } }];
    const metadata = withDesk({ authentication_fields: ['enter', 'renew'], customization: { field_names } });
    const gateway = await served(metadata);
    for (const field of ['desk_enter', 'refresh']) {
      const { body } = await gateway.graphql(`mutation { ${field} { success } }`, { token: expired });
      expect([body, calledAs()]).toEqual([{ data: { [field]: { success: true } } }, ['anonymous']]);
    }
    expect((await gateway.graphql('mutation { desk_leaveNote }', { token: expired })).status).toBe(401);
    const { report } = await checked(metadata);
    expect(report.authenticationFields).toEqual(['mutation desk_enter', 'mutation refresh']);
  });

  describe('in a namespace', () => {
    const metadata = withDesk({ authentication_fields: ['enter'], customization: { root_fields_namespace: 'desk' } });

    test.each([
      ['alone', 'mutation { desk { enter { success } } }'],
      ['with type names, which clients add', 'mutation { desk { __typename enter { success __typename } } }'],
      ['through fragments', 'mutation { ...a } fragment a on Mutation { desk { ... { enter { success } } } }'],
    ])('judges no token: %s', async (_, query) => {
      const gateway = await served(metadata);
      const { status, body } = await gateway.graphql(query, { token: expired });
      expect([status, body.errors, calledAs()]).toEqual([200, undefined, ['anonymous']]);
    });

    test.each([
      ['beside another field', 'mutation { desk { enter { success } leaveNote(text: "n") } }'],
      ['beside the root’s type name', 'mutation { __typename desk { enter { success } } }'],
      ['not asked for', 'mutation { desk { __typename } }'],
      ['of another operation type', '{ desk { enter: notice } }'],
    ])('judges the token: %s', async (_, query) => {
      const gateway = await served(metadata);
      expect([(await gateway.graphql(query, { token: expired })).status, calledAs()]).toEqual([401, []]);
    });

    test.each([
      ['in one namespace', 'mutation { desk { a: enter { success } b: enter { success } } }'],
      ['in the namespace twice', 'mutation { a: desk { enter { success } } b: desk { enter { success } } }'],
      [
        'in a fragment that is spread in both',
        'mutation { a: desk { ...e } b: desk { ...e } } fragment e on desk_mutation { enter { success } }',
      ],
    ])('is not run twice in an operation: %s', async (_, query) => {
      const gateway = await served(metadata);
      const { body } = await gateway.graphql(query);
      expect(body.errors?.[0]?.message).toBe('an operation may contain only one authentication field');
      expect(calledAs()).toEqual([]);
    });
  });

  test('may be of a subgraph that is composed with others', async () => {
    const sdl = (more: string) =>
      `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"]) ${more}`;
    const metadata: MetadataFiles = {
      'remote_schemas.yaml': [
        {
          ...deskMetadata({ authentication_fields: ['enter'], composition: 'federation', schema_file: 'desk.graphql' }),
          permissions: [
            {
              role: 'anonymous',
              definition: {
                schema:
                  'type Query { notice: String } type Mutation { enter(name: String): Ticket } type Ticket { success: Boolean! }',
              },
            },
          ],
        },
        { name: 'other', definition: { url: '{{DESK_URL}}', composition: 'federation', schema_file: 'other.graphql' } },
      ],
      'desk.graphql': sdl(
        'type Query { notice: String } type Mutation { enter(name: String): Ticket } type Ticket { success: Boolean! }',
      ),
      'other.graphql': sdl('type Query { motto: String }'),
    };
    const gateway = await served(metadata);
    const { body } = await gateway.graphql('mutation { enter { success } }', { token: expired });
    expect([body, calledAs()]).toEqual([{ data: { enter: { success: true } } }, ['anonymous']]);
    expect((await gateway.graphql('{ notice }', { token: expired })).status).toBe(401);
    expect((await gateway.graphql('{ notice }')).body).toEqual({ data: { notice: 'closed' } });
  });
});

describe('a name that is wrong', () => {
  const lineOf = (metadata: MetadataFiles, text: string) =>
    stringify(metadata['remote_schemas.yaml'])
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1;

  test.each([
    ['misspelt', 'entr', 'the authentication field "entr" is not a query or mutation: did you mean "enter"?'],
    [
      'nothing that is there',
      'something_else',
      'the authentication field "something_else" is not a query or mutation: the role "anonymous" is granted notice, motto, enter, renew, leaveNote',
    ],
    [
      'granted to users only',
      'whoami',
      'the authentication field "whoami" is not granted to the role "anonymous", which callers without a token have',
    ],
  ])('is reported by the check, with file and line: %s', async (_, name, message) => {
    const metadata = withDesk({ authentication_fields: ['renew', name] });
    const { code, report } = await checked(metadata);
    expect([code, report.problems]).toEqual([
      1,
      [
        {
          file: 'remote_schemas.yaml',
          line: lineOf(metadata, `- ${name}`),
          path: '[0].definition.authentication_fields[1]',
          message,
        },
      ],
    ]);
    expect(report.authenticationFields).toEqual(['mutation renew']);
  });

  test('is reported for an action that callers without a token may not call', async () => {
    const { code, report } = await checked(withAction({ ...ACTION, permissions: [{ role: 'user' }] }));
    expect([code, report.problems]).toMatchObject([
      1,
      [
        {
          file: 'actions.yaml',
          path: 'actions[0].definition.authentication_field',
          message:
            'the authentication field "signIn" is not granted to the role "anonymous", which callers without a token have',
        },
      ],
    ]);
  });

  test.each([
    ['authentication_field', 'remote', { authentication_field: ['enter'] }, 'did you mean "authentication_fields"?'],
    ['a text', 'remote', { authentication_fields: 'enter' }, 'expected array'],
    ['no name', 'remote', { authentication_fields: ['mutation enter'] }, 'expected a GraphQL name'],
  ])('is reported for an invalid key: %s', async (_, __, definition, message) => {
    const { code, report } = await checked(withDesk(definition));
    expect([code, report.problems[0]?.message]).toEqual([1, expect.stringContaining(message)]);
    expect(report.problems[0]?.line).toBeGreaterThan(0);
  });

  test('does not keep the gateway from starting, and is logged and reported by /healthz', async () => {
    const gateway = await served(withDesk({ authentication_fields: ['entr'] }));
    expect(gateway.logs()).toContain('authentication_field.not_public');
    expect((await gateway.send('/healthz')).text).toBe('WARN: inconsistent objects in schema');
    expect((await gateway.send<{ missing_sources: unknown }>('/readyz')).body.missing_sources).toEqual([]);
    expect((await gateway.graphql('mutation { enter { success } }', { token: expired })).status).toBe(401);
  });

  test('does not take effect by a reload', async () => {
    const gateway = await keepForTest(
      openEditedGateway(withDesk({ authentication_fields: ['enter'] }), { issuer, environment }),
    );
    const refused = await gateway.edit(withDesk({ authentication_fields: ['entr'] }));
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('did you mean')]);
    expect((await gateway.graphql('mutation { enter { success } }')).status).toBe(200);
    const taken = await gateway.edit(withDesk({ authentication_fields: ['renew'] }));
    expect(taken.status).toBe(200);
  });
});

describe('metadata that does not say which fields they are', () => {
  const hintFor = (source: string, field: string, key: string) => ({
    source,
    message: `"${field}" is granted to the role "anonymous" and looks like an authentication field. Set "${key}" in its definition to make it one; otherwise, requests with an expired token are rejected`,
  });
  const unsaid: MetadataFiles = withAction({ ...ACTION, definition: { handler: '{{WEATHER_URL}}' } });

  test('is valid, with a hint for each that looks like one', async () => {
    const { code, report } = await checked(unsaid);
    expect([code, report.hints]).toEqual([0, [hintFor('signIn', 'signIn', 'authentication_field: true')]]);
    const place = await keepForTest(Promise.resolve(writeMetadata(unsaid)));
    const { text } = await textOf({ location: place.directory, environment });
    expect(text).toContain('hint: signIn: "signIn" is granted');
  });

  test('is reported at the start', async () => {
    const gateway = await served(unsaid);
    await until('the hint is logged', () => gateway.logs().includes('authentication_field.unmarked'));
    expect(gateway.logs().split('authentication_field.unmarked').length).toBe(2);
  });

  test('has no hint where it says that there are none', async () => {
    const definition = { ...ACTION.definition, authentication_field: false };
    expect((await checked(withAction({ ...ACTION, definition }))).report.hints).toEqual([]);
  });

  test.each([
    ['login', true],
    ['logIn', true],
    ['auth_user_login', true],
    ['userSignOut', true],
    ['sign_up', true],
    ['refreshToken', true],
    ['auth_token_refresh', true],
    ['refreshPrices', false],
    ['catalogIn', false],
    ['blogInfo', false],
    ['design', false],
  ])('takes %s for one: %p', async (name, isOne) => {
    const schema = `type Query { a: String } type Mutation { ${name}: String }`;
    const { report } = await checked({
      'remote_schemas.yaml': [
        {
          name: 'desk',
          definition: { url: '{{DESK_URL}}', schema_file: 'desk.graphql' },
          permissions: [{ role: 'anonymous', definition: { schema } }],
        },
      ],
      'desk.graphql': schema,
    });
    expect(report.hints).toEqual(isOne ? [hintFor('desk', name, `authentication_fields: [${name}]`)] : []);
  });
});

describe('a comparison of metadata', () => {
  const [one, both] = [withDesk({ authentication_fields: ['enter'] }), withDesk({})];

  test('refuses to have tokens judged that were not', async () => {
    const { code, report } = await checked(both, one);
    expect([code, report.changes]).toEqual([
      1,
      [
        {
          breaking: true,
          message: '"mutation enter" is no longer an authentication field: tokens sent with it are verified',
        },
      ],
    ]);
  });

  test('allows what it takes to mark one', async () => {
    const { code, report } = await checked(one, both);
    expect([code, report.changes]).toEqual([
      0,
      [
        {
          breaking: false,
          message: '"mutation enter" is now an authentication field: tokens sent with it are not verified',
        },
      ],
    ]);
  });
});
