import { stitchSchemas } from '@graphql-tools/stitch';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GraphQLSchema, isObjectType } from 'graphql';
import { type JoinedPart, joinSchemas } from '../../../gateway/graphql/schemas/index.ts';
import { atOnce } from '../../../platform/index.ts';
import { SEED } from '../../seed.ts';
import { introspected, partsOf, stitchedSchema } from './stitched-schema.ts';

const RUNS = Number(process.env.GENERATED_SCHEMAS ?? 60);

const joined = (parts: readonly JoinedPart[]) => atOnce(joinSchemas(parts));

describe('schemas are joined as @graphql-tools/stitch joins them', () => {
  const expectTheSame = (sdls: readonly string[], canonical: Readonly<Record<string, number>> = {}) =>
    expect(introspected(joined(partsOf(sdls, canonical)))).toEqual(
      introspected(stitchedSchema(partsOf(sdls, canonical))),
    );

  test.each([
    [
      'types of one part',
      [
        'type Query { a: A } "a" type A { x: Int }',
        'type Query { b: B } type B { "y" y(z: Int = 3): Int @deprecated }',
      ],
    ],
    [
      'types of both',
      [
        'type Query { a: A } "one" type A { x: Int "1" y: Int }',
        'type Query { b: A } "two" type A { "2" y: Int z: Int }',
      ],
    ],
    [
      'root types with other names',
      [
        'schema { query: Q mutation: M } type Q { a: Int } type M { m: Int }',
        'type Query { b: Int } type Subscription { s: Int }',
      ],
    ],
    ['a part without queries', ['type Mutation { m: Int }', 'type Query { b: Int }']],
    [
      'interfaces',
      [
        'interface I { id: ID } interface J implements I { id: ID } type A implements J & I { id: ID } type Query { i: I }',
        'interface I { id: ID } type A implements I { id: ID } type B implements I { id: ID } type Query { j: I }',
      ],
    ],
    ['an interface without types', ['interface Alone { id: ID } type Query { i: Int }', 'type Query { j: Int }']],
    [
      'unions',
      [
        'union U = A | B type A { x: Int } type B { y: Int } type Query { u: U }',
        'union U = B | C type B { y: Int } type C { z: Int } type Query { v: U }',
      ],
    ],
    [
      'enums',
      [
        'enum E { "x" A B @deprecated(reason: "r") } type Query { e(x: E = A): E }',
        'enum E { B C } type Query { f: E }',
      ],
    ],
    [
      'default values',
      [
        'scalar J input In { a: Int = 3 b: [E!] = [A] c: In2 = { x: 1 } j: J = "x" } input In2 { x: Int = 0 } enum E { A } type Query { a(i: In = { a: 1 }, f: Float = 1, n: Int = null, s: String = "\\"q"): Int }',
        'type Query { b: Int }',
      ],
    ],
    [
      'input objects with one field',
      [
        'input In @oneOf { a: Int b: Int } type Query { a(i: In): Int }',
        'input In @oneOf { b: Int @deprecated } type Query { b(i: In): Int }',
      ],
    ],
    [
      'scalars',
      [
        '"one" scalar D @specifiedBy(url: "http://d.example") type Query { d: D }',
        '"two" scalar D type Query { e: D }',
      ],
    ],
    [
      'directives of services',
      [
        'directive @own(a: Int) repeatable on OBJECT | FIELD_DEFINITION type Query @own(a: 1) { d: Int @own(a: 2) }',
        'type Query { e: Int }',
      ],
    ],
    [
      'types that nothing leads to',
      ['type Query { d: Int } type Lost { x: Int } input LostIn { x: Int }', 'type Query { e: Int }'],
    ],
    [
      'names of prototypes',
      [
        'type Query { constructor: constructor toString: Int } type constructor { toString: Int hasOwnProperty: Int }',
        'type Query { e: constructor valueOf: toString } type constructor { toString: Int } scalar toString',
      ],
    ],
  ])('%s', (_, sdls) => expectTheSame(sdls));

  test.each(['A', 'A.y', 'A.x', 'I', 'In', 'In.b', 'U', 'E', 'S'])('a canonical %s', (name) => {
    const sdl = (
      text: string,
    ) => `type Query { a(i: In): A } "${text}" type A implements I { x: Int "${text}" y(a: Int = ${text.length}): E }
      "${text}" interface I { "${text}" x: Int } "${text}" input In { "${text}" b: Int = ${text.length} }
      "${text}" union U = A "${text}" enum E { "${text}" V } "${text}" scalar S`;
    for (const part of [0, 1]) expectTheSame([sdl('one'), sdl('first two')], { [name]: part });
  });

  const text = fc.constantFrom('', '"one" ', '"two" ');
  const some = (definitions: readonly string[]) =>
    fc
      .tuple(fc.subarray([...definitions], { minLength: 1 }), fc.infiniteStream(text))
      .map(([all, texts]) => all.map((one) => `${texts.next().value}${one}`).join(' '));
  const part = fc
    .record({
      root: some(['a: A', 'b(i: In, e: E = V): B', 'u: U', 's(s: S): S', 'i: I']),
      mutation: fc.option(some(['m: Int', 'n(i: In): U'])),
      a: some(['id: ID', 'x(e: E = V, n: Int): Int', 'y: [B!] @deprecated', 's: S @deprecated(reason: "old")']),
      b: some(['id: ID', 'a: A', 'u(i: In = { n: 1 }): U']),
      input: some(['n: Int = 1', 'e: [E] = [V]', 'deep: In @deprecated', 's: S = "x"']),
      values: some(['V', 'W', 'X @deprecated']),
      members: fc.subarray(['A', 'B'], { minLength: 1 }),
      texts: fc.array(text, { minLength: 7, maxLength: 7 }),
    })
    .map(({ root, mutation, a, b, input, values, members, texts: [t0, t1, t2, t3, t4, t5, t6] }) => {
      // Defaults name them.
      const allValues = /\bV\b/.test(values) ? values : `V ${values}`;
      const inputFields = /\bn:/.test(input) ? input : `n: Int ${input}`;
      const named = /\bid:/.test(a) ? a : `id: ID ${a}`;
      return `${t0}type Query { ${root} } ${mutation ? `type Mutation { ${mutation} }` : ''} ${t1}interface I { id: ID }
        ${t2}type A implements I { ${named} } ${t3}type B { ${b} } ${t4}input In { ${inputFields} }
        ${t5}enum E { ${allValues} } ${t6}scalar S union U = ${members.join(' | ')}`;
    });

  test('generated schemas', () => {
    const names = ['A', 'A.x', 'B', 'I', 'In', 'In.n', 'E', 'S', 'U', 'Query', 'Query.b'];
    const canonical = fc.dictionary(fc.constantFrom(...names), fc.nat(2), { maxKeys: 4 });
    fc.assert(fc.property(fc.array(part, { minLength: 2, maxLength: 3 }), canonical, expectTheSame), {
      numRuns: RUNS,
      seed: SEED,
    });
  });
});

describe('why the product does not use it', () => {
  const sdl = (part: number) =>
    `type Query { ${[...Array(50).keys()].map((at) => `t${part}_${at}: T${part}_${at}`).join(' ')} }
     ${[...Array(50).keys()].map((at) => `type T${part}_${at} { id: ID next: T${part}_${(at + 1) % 50} }`).join(' ')}`;
  const parts = partsOf([...Array(4).keys()].map(sdl));

  test('stitchSchemas blocks the event loop until it has a schema, whatever its size', async () => {
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    // A version that returned a promise, and let others run meanwhile, would have turns.
    const schema = await stitchSchemas({ subschemas: parts.map((one) => one.schema) });
    clearImmediate(next);
    expect(schema).toBeInstanceOf(GraphQLSchema);
    expect(turns).toBe(0);
  });

  test('joinSchemas can be interrupted at every type', () => {
    const work = joinSchemas(parts);
    let steps = 0;
    while (!work.next().done) steps += 1;
    expect(steps).toBeGreaterThan(2 * 4 * 50);
  });

  test('stitchSchemas makes an executable schema, where only its definitions are needed', () => {
    const resolvers = (schema: GraphQLSchema) => {
      const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
        isObjectType(type) && !type.name.startsWith('__') ? Object.values(type.getFields()) : [],
      );
      return [fields.length, fields.filter(({ resolve }) => resolve !== undefined).length];
    };
    const [fields, ofStitched] = resolvers(stitchedSchema(parts));
    expect(ofStitched).toBe(fields);
    expect(resolvers(joined(parts))).toEqual([fields, 0]);
  });

  test('of different addresses of the specification of a scalar it takes the first one, and that cannot be changed', () => {
    const urls = partsOf(['1', '2'].map((url) => `scalar D @specifiedBy(url: "${url}") type Query { d${url}: D }`));
    const urlIn = (schema: GraphQLSchema) => schema.getType('D')?.toConfig();
    expect(urlIn(stitchedSchema(urls))).toMatchObject({ specifiedByURL: '1' });
    expect(urlIn(joined(urls))).toMatchObject({ specifiedByURL: '2' });
  });
});
