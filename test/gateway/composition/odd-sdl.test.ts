import { afterAll, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer, reply, serve, until } from '../harness/index.ts';
import { apolloSubgraph } from './subgraphs.ts';
import { federated } from './world.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const good = await keep(apolloSubgraph('type Query { good: Int }', { Query: { good: () => 1 } }));

/** A service that says this of itself, and nothing else. */
async function saying(sdl: string) {
  const server = await keep(serve((_, response) => reply(response, 200, { data: { _service: { sdl } } })));
  return { graphqlUrl: `${server.url}/graphql` };
}

test.each([
  ['is nested too deeply', `type Query { odd: ${'['.repeat(30_000)}Int${']'.repeat(30_000)} }`, 'cannot be composed'],
  ['links to what is no link', 'extend schema @link(url: 5, import: 7) type Query { odd: Int }', 'COMPOSITION_FAILED'],
  ['names what is the composition’s', 'type join__Graph { a: Int } type Query { odd: join__Graph }', 'join__Graph'],
])('a subgraph whose SDL %s is left out alone', async (_, sdl, reason) => {
  const odd = await saying(sdl);
  const remotes = [federated('odd', odd), federated('good', good)];
  for (const order of [remotes, [...remotes].reverse()]) {
    const gateway = await keep(openEditedGateway({ 'remote_schemas.yaml': order }, { issuer, waitUntilReady: false }));
    await until('the odd one is left out, and why is told', async () => {
      const { body } = await gateway.command('get_inconsistent_metadata');
      return JSON.stringify(body).includes(reason);
    });
    const { body } = await gateway.graphql('{ good }', { token: issuer.token() });
    expect(body).toEqual({ data: { good: 1 } });
    const { body: inconsistent } = await gateway.command('get_inconsistent_metadata');
    expect(inconsistent).toMatchObject({ inconsistent_objects: [{ name: expect.stringContaining('odd') }] });
  }
});
