import { afterAll, describe, expect, test } from '@jest/globals';
import {
  bearer,
  type GraphqlUpstream,
  graphqlUpstream,
  keeper,
  openGateway,
  openIssuer,
  until,
} from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const service = (types: string) => keep(graphqlUpstream(types));

function openWith(services: Record<string, GraphqlUpstream>) {
  const list = Object.entries(services).map(([name, { graphqlUrl }]) => ({ name, definition: { url: graphqlUrl } }));
  return keep(openGateway({ issuer, waitUntilReady: false, metadata: { 'remote_schemas.yaml': list } }));
}

const USER = 'type User { id: ID! name: String }';

describe('two services that offer the same', () => {
  test('fields of Apollo Federation are subgraphs, which the log says', async () => {
    const subgraph =
      'scalar _Any type _Service { sdl: String } type Query { _service: _Service! _entities(representations: [_Any!]!): Int';
    const gateway = await openWith({
      first: await service(`${subgraph} one: Int }`),
      second: await service(`${subgraph} two: Int }`),
    });
    await until('the conflict is logged', () => gateway.logs().includes('is offered by'));
    expect(gateway.logs()).toMatch(
      /root field \\"_service\\" is offered by .*: set composition: federation on both subgraphs/,
    );
  });

  test('root field: the first in the metadata keeps it, regardless of which answers first', async () => {
    const first = await service('type Query { thing: Int first: Int }');
    const second = await service('type Query { thing: Int second: Int }');
    await first.stop();
    const gateway = await openWith({ first, second });
    await until('the second is there', async () => {
      const { body } = await gateway.graphql('{ second }', { token });
      return body.data !== undefined;
    });
    await first.start();
    await until('the second has made room', async () => {
      const { body } = await gateway.graphql('{ first }', { token });
      return body.data !== undefined;
    });
    expect((await gateway.graphql('{ second }', { token })).body.errors?.[0]?.message).toContain('"second"');
    expect(gateway.logs()).toContain('the root field \\"thing\\" is offered by \\"second\\" and by \\"first\\"');
    expect(await gateway.send('/healthz')).toMatchObject({ text: 'WARN: inconsistent objects in schema' });
  });

  test('type, to the letter: both have it', async () => {
    const first = await service(`type Query { first: User } ${USER}`);
    const second = await service(`"described" type Query { second: User } "described too" ${USER}`);
    const gateway = await openWith({ first, second });
    await gateway.ready();
    expect((await gateway.graphql('{ first { id } second { name } }', { token })).status).toBe(200);
    expect(await gateway.send('/healthz')).toMatchObject({ text: 'OK' });
  });

  test.each([
    ['another field', 'type User { id: ID! name: String age: Int }'],
    ['another nullability', 'type User { id: ID! name: String! }'],
    ['another kind', 'enum User { A }'],
  ])('type with %s: the second one is left out', async (_, other) => {
    const first = await service(`type Query { first: User } ${USER}`);
    const second = await service(`type Query { second: User } ${other}`);
    const gateway = await openWith({ first, second });
    await until('it is logged', () => gateway.logs().includes('remote_schema.conflict'));
    await until('the first is there', async () => (await gateway.graphql('{ first { id } }', { token })).body.data);
    expect(gateway.logs()).toContain('the type \\"User\\" is not the same in \\"second\\" and in \\"first\\"');
    expect((await gateway.graphql('{ __type(name: "User") { fields { name } } }', { token })).body.data).toEqual({
      __type: { fields: [{ name: 'id' }, { name: 'name' }] },
    });
  });
});

test('/readyz names missing sources, and only the log gives the reason', async () => {
  const down = await service('type Query { down: Int }');
  await down.stop();
  const gateway = await openWith({ down });
  await until('it is logged', () => gateway.logs().includes('remote_schema.unavailable'));
  const { status, body, text } = await gateway.send('/readyz', { headers: bearer(token) });
  expect([status, body]).toMatchObject([503, { ready: false, missing_sources: ['down'] }]);
  expect(text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/);
  expect(gateway.logs()).toContain('ECONNREFUSED');
});
