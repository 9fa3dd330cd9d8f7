import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { type ChangingUpstream, changingUpstream } from '../harness/changing-upstream.ts';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);

const issuer = await keep(openIssuer());
const INTERFACE = 'interface I { f: String g: String }';
const ONE = `type Query { one: T i: I } ${INTERFACE} type T implements I { f: String g: String }`;
const OTHER = `type Query { other: U } ${INTERFACE} type U implements I { f: String g: String }`;
const answers = (field: string) => ({ Query: { [field]: () => ({ f: 'f', g: 'g' }) } });

/** Each is a part of its service, and valid; together they say of `I` what is not true of `T`. */
const permission = (role: string, schema: string) => ({ role, definition: { schema } });
const CLERK_OF_ONE = permission(
  'clerk',
  'type Query { one: T } interface I { f: String } type T implements I { f: String }',
);
const CLERK_OF_OTHER = permission('clerk', OTHER);

const described = (name: string, { graphqlUrl: url }: ChangingUpstream, permissions: readonly object[]) => ({
  name,
  definition: { url },
  permissions,
});

async function services() {
  const one = await keepForTest(changingUpstream(ONE, answers('one')));
  const other = await keepForTest(changingUpstream(OTHER, answers('other')));
  return { one, other };
}

type Services = Awaited<ReturnType<typeof services>>;

const files = ({ one, other }: Services, clerk: readonly object[] = [CLERK_OF_OTHER]) => ({
  'remote_schemas.yaml': [
    described('one', one, [permission('user', ONE), CLERK_OF_ONE]),
    described('other', other, [permission('user', OTHER), ...clerk]),
  ],
});

const start = (metadata: Readonly<Record<string, unknown>>) =>
  keepForTest(openEditedGateway(metadata, { issuer, waitUntilReady: false }));

const QUERY = '{ one { f } other { f } }';
const DATA = { one: { f: 'f' }, other: { f: 'f' } };
const tokenOf = (role: string) => issuer.token({ roles: [role], role });

describe('a role whose parts of the services make no valid schema together', () => {
  test('is refused with an error that says so, and the other roles are served', async () => {
    const gateway = await start(files(await services()));
    await until('the gateway is ready', async () => (await gateway.send('/readyz')).status === 200);
    expect((await gateway.graphql(QUERY, { token: tokenOf('user') })).body).toEqual({ data: DATA });
    const asAdmin = { headers: { 'x-hasura-admin-secret': 'correct-horse-battery-staple' } };
    expect((await gateway.graphql(QUERY, asAdmin)).body).toEqual({ data: DATA });
    for (let time = 0; time < 2; time++)
      expect((await gateway.graphql(QUERY, { token: tokenOf('clerk') })).body).toMatchObject({
        errors: [{ message: 'the graph of role "clerk" is not valid', extensions: { code: 'invalid-configuration' } }],
      });
    expect((await gateway.graphql('{ one { f } }', { token: tokenOf('stranger') })).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
    const logged = gateway.logged('graph.role_invalid');
    expect(logged).toEqual([expect.objectContaining({ role: 'clerk', reason: expect.stringContaining('I.g') })]);
  });

  test('is reported as inconsistent metadata, without naming sources as missing', async () => {
    const gateway = await start(files(await services()));
    await until('the gateway is ready', async () => (await gateway.send('/readyz')).status === 200);
    const { body } = await gateway.command('get_inconsistent_metadata');
    expect(body).toEqual({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'role', name: 'clerk', definition: 'clerk', reason: expect.stringContaining('I.g') },
      ],
    });
  });

  test('is a reason against an edit of the metadata that brings it about', async () => {
    const both = await services();
    const gateway = await start(files(both, []));
    await until('the graph is whole', async () => (await gateway.health()) === 'OK');
    const refused = await gateway.edit(files(both));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(
      'role \\"clerk\\": the parts of the sources that it can access do not form a valid schema',
    );
    expect((await gateway.graphql('{ one { f } }', { token: tokenOf('clerk') })).body).toEqual({
      data: { one: { f: 'f' } },
    });
  });

  test('may result from a changed remote schema, which the other roles then see', async () => {
    const { one, other } = await services();
    one.become('type Query { plain: Int }');
    const gateway = await start({
      'remote_schemas.yaml': [
        { name: 'one', definition: { url: one.graphqlUrl, introspection_interval_seconds: 1 } },
        described('other', other, [
          permission('user', OTHER),
          permission('clerk', 'type Query { other: U } interface I { f: String } type U implements I { f: String }'),
        ]),
      ],
    });
    await until('the graph is whole', async () => (await gateway.health()) === 'OK');
    expect((await gateway.graphql('{ other { f } }', { token: tokenOf('clerk') })).body).toEqual({
      data: { other: DATA.other },
    });
    one.become(ONE, answers('one'));
    await until('the change is in force', async () => {
      const { body } = await gateway.graphql(QUERY, { token: tokenOf('user') });
      return JSON.stringify(body) === JSON.stringify({ data: DATA });
    });
    expect(gateway.logged('graph.role_invalid')).toEqual([expect.objectContaining({ role: 'clerk' })]);
    one.become('type Query { plain: Int }');
    await until('the clerk is served again', async () => {
      const { body } = await gateway.graphql('{ other { f } }', { token: tokenOf('clerk') });
      return JSON.stringify(body) === JSON.stringify({ data: { other: DATA.other } });
    });
  });
});
