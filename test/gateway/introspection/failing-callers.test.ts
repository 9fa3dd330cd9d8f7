import { expect, test } from '@jest/globals';
import { buildSchema, Kind, parse } from 'graphql';
import { Introspections } from '../../../gateway/graphql/introspection/index.ts';

const introspection = new Introspections().of(buildSchema('type Query { a: Int }'));

function ask(text: string, done: (answer: unknown) => void): void {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  introspection.prepare(document, operation)({}, done);
}

const answerTo = (text: string) => new Promise<unknown>((resolve) => ask(text, resolve));

test('a receiver that throws does not keep the answer from the others', async () => {
  ask('{ __schema { types { name } } }', () => {
    throw new Error('the connection is gone');
  });
  const answer = await answerTo('{ __schema { queryType { name } } }');
  expect(String(Array.isArray(answer) ? Buffer.concat(answer) : answer)).toBe(
    '{"data":{"__schema":{"queryType":{"name":"Query"}}}}',
  );
});
