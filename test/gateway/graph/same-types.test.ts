import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { openEditedGateway } from '../harness/edited-gateway.ts';
import { keeper, openIssuer } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);
const { keep: keepForTest, close: closeAfterTest } = keeper();
afterEach(closeAfterTest);
const issuer = await keep(openIssuer());
const token = issuer.token();

/** A gateway before the services `a` and `b`, which are described by files. */
function open(a: string, b: string) {
  const remote = (name: string) => ({
    name,
    definition: { url: 'http://127.0.0.1:1', schema_file: `${name}.graphql` },
  });
  const files = { 'remote_schemas.yaml': [remote('a'), remote('b')], 'a.graphql': a, 'b.graphql': b };
  return keepForTest(openEditedGateway(files, { issuer }));
}

describe('types of one name in several services', () => {
  test('are one type when they are the same, whatever their order and descriptions', async () => {
    const gateway = await open(
      `type Query { a(f: F, k: K): [T] u: U }
      type T { id: ID! "the name" name(x: Int = 1, y: Int): String }
      input F { a: Int b: Int = 2 } enum K { X Y } union U = T | O type O { a: Int } scalar S`,
      `type Query { b(f: F, k: K): T v: U }
      "A thing" type T { name(y: Int, "how much" x: Int = 1): String id: ID! }
      input F { b: Int = 2 a: Int } enum K { Y X } union U = O | T type O { a: Int } scalar S`,
    );
    expect(await gateway.health()).toBe('OK');
  });

  test.each([
    ['a field', 'type T { id: ID }', 'type T { id: ID name: String }'],
    ['the type of a field', 'type T { id: ID }', 'type T { id: Int }'],
    ['an argument', 'type T { id: ID }', 'type T { id(a: Int): ID }'],
    ['a default', 'type T { id(a: Int = 1): ID }', 'type T { id(a: Int = 2): ID }'],
    ['the kind', 'type T { id: ID }', 'interface T { id: ID }'],
    ['the values of an enum', 'enum T { A B }', 'enum T { A }'],
    [
      'what it is oneOf',
      'input I { a: Int } type T { f(i: I): Int }',
      'input I @oneOf { a: Int } type T { f(i: I): Int }',
    ],
  ])('are a conflict when they differ in %s', async (_, one, two) => {
    const gateway = await open(`type Query { a: T } ${one}`, `type Query { b: T } ${two}`);
    const { body } = await gateway.command('get_inconsistent_metadata');
    expect(body).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'remote_schema', name: 'b', reason: expect.stringContaining('is not the same in "b" and in "a"') },
      ],
    });
    const answer = async (field: string) => (await gateway.graphql(`{ ${field} { __typename } }`, { token })).text;
    expect(await answer('b')).toContain('Cannot query field \\"b\\"');
    expect(await answer('a')).not.toContain('Cannot query field');
  });
});
