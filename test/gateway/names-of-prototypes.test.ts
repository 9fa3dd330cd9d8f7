import { afterAll, describe, expect, test } from '@jest/globals';
import { graphqlUpstream, keeper, openGateway, openIssuer } from './harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const issuer = await keep(openIssuer());
const token = issuer.token();

const service = await keep(
  graphqlUpstream('type Query { name: String word(of: String): String place: Place } type Place { name: String }', {
    Query: { name: () => 'a', word: (_: unknown, { of }: { of?: string }) => of, place: () => ({ name: 'b' }) },
  }),
);

async function openWith(customization?: object) {
  const remote = { name: 'words', definition: { url: service.graphqlUrl, customization } };
  return keep(openGateway({ issuer, metadata: { 'remote_schemas.yaml': [remote] } }));
}

const plain = await openWith();
const inNamespace = await openWith({ root_fields_namespace: 'words' });
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

describe.each(NAMES)('an operation with the name %s has the answer that it has with any other', (name) => {
  const json = (key: string, value: unknown) => `{${JSON.stringify(key)}:${JSON.stringify(value)}}`;

  test.each([
    ['a plain service', plain, 'word(of: $NAME)', '{"data":{"word":"it"}}'],
    ['a service in a namespace', inNamespace, 'words { word(of: $NAME) }', '{"data":{"words":{"word":"it"}}}'],
  ])('as a variable, by %s', async (_, gateway, selection, expected) => {
    const query = `query ($${name}: String!) { ${selection.replace('NAME', name)} }`;
    const body = `{"query":${JSON.stringify(query)},"variables":${json(name, 'it')}}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await gateway.send('/v1/graphql', { method: 'POST', headers, body })).text).toBe(expected);
  });

  test('as a response key', async () => {
    const answer = (text: string) => JSON.parse(text.replaceAll('NAME', name));
    const { body: ofPlain } = await plain.graphql(`{ ${name}: place { ${name}: name } }`, { token });
    expect(JSON.stringify(ofPlain)).toBe(JSON.stringify(answer('{"data":{"NAME":{"NAME":"b"}}}')));

    const before = [Object, Object.prototype].map((one) => Reflect.ownKeys(one));
    const query = `{ ${name}: words { name other: name ${name}: place { ${name}: name } } }`;
    const { body: inIt } = await inNamespace.graphql(query, { token });
    const data = '{"data":{"NAME":{"name":"a","other":"a","NAME":{"NAME":"b"}}}}';
    expect(JSON.stringify(inIt)).toBe(JSON.stringify(answer(data)));
    expect([Object, Object.prototype].map((one) => Reflect.ownKeys(one))).toEqual(before);
  });
});
