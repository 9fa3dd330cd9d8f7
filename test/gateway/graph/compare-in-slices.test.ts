import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { buildSchema, type GraphQLSchema, isObjectType, parse, print } from 'graphql';
import { affectingChanges, compareInSlices } from '../../../gateway/graph/index.ts';
import { printSchema } from '../../../gateway/graphql/schemas/index.ts';

const TYPES = 60;
const VARIANTS = 4;
/** Types from this one on are referred to by none, so that they may be missing. */
const OPTIONAL_FROM = 48;
/** Objects, interfaces and unions. */
const OUTPUT_KINDS: ReadonlySet<number> = new Set([0, 2, 3]);

/** A type in one of its variants. Types of the same number modulo six are of the same kind. */
function definition(index: number, variant: number): string {
  const next = (kind: number, by: number) => `T${(6 * by + kind) % OPTIONAL_FROM}`;
  const described = variant === 3 ? `"Variant ${variant}, with {braces}"\n` : '';
  const old = variant === 2 ? ' @deprecated(reason: "old")' : '';
  switch (index % 6) {
    case 0:
      return `${described}type T${index}${variant === 1 ? ` implements ${next(2, 1)}` : ''} {
        id: ID!${old}
        v${variant}(filter: ${next(1, index)} = {}, first: Int = ${variant}): ${next(variant === 0 ? 0 : 3, index)}
        same(filter: ${next(1, index + variant)}): [${next(0, 2)}${variant === 1 ? '!' : ''}]
        fixed(filter: ${next(1, index)} = { kind: ONE }): String
        free(filter: ${next(5, index)} = { any: [${variant}] }): String
      }`;
    case 1:
      return `${described}input T${index} { count: Int = ${variant} kind: ${next(4, index)}${variant === 1 ? ' = ONE' : ''} }`;
    case 2:
      return `${described}interface T${index} { id: ID!${old} }`;
    case 3:
      return `${described}union T${index} = ${next(0, 1)} | ${next(0, variant + 2)}`;
    case 4:
      return `${described}enum T${index} { ONE TWO${old} V${variant} }`;
    default:
      return `${described}scalar T${index}${variant === 1 ? ' @specifiedBy(url: "https://example.com/a")' : ''}`;
  }
}

interface Model {
  readonly variants: readonly number[];
  readonly missing: readonly number[];
  readonly hasMutation: boolean;
  readonly directive: number;
}

function schemaOf({ variants, missing, hasMutation, directive }: Model) {
  const types = variants.flatMap((variant, index) => (missing.includes(index) ? [] : [definition(index, variant)]));
  const roots = `type Query { a: T0 b${directive}: T2 } ${hasMutation ? 'type Mutation { a: T0 }' : ''}`;
  return buildSchema(`${types.join('\n')} ${roots} directive @own(a${directive}: Int) on FIELD`, { assumeValid: true });
}

function definitionsOf(schema: GraphQLSchema): readonly string[] {
  return parse(printSchema(schema)).definitions.map((definition) => print(definition));
}

const variants = fc.array(fc.nat(VARIANTS - 1), { minLength: TYPES, maxLength: TYPES });
const missing = fc.uniqueArray(fc.integer({ min: OPTIONAL_FROM, max: TYPES - 1 }), { maxLength: 6 });
const model = fc.record({ variants, missing, hasMutation: fc.boolean(), directive: fc.nat(1) });
const edits = fc.array(fc.tuple(fc.nat(TYPES - 1), fc.nat(VARIANTS - 1)), { maxLength: 40 });

test('large schemas are compared by their differing types as they are as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(model, edits, model, fc.boolean(), async (one, edited, other, areInputsEqual) => {
      const mayDiffer = (index: number) => !areInputsEqual || OUTPUT_KINDS.has(index % 6);
      const changed = [...one.variants];
      for (const [index, variant] of edited) if (mayDiffer(index)) changed[index] = variant;
      const [before, after] = [one, { ...other, variants: changed }].map((given) =>
        schemaOf({ ...given, missing: given.missing.filter(mayDiffer) }),
      ) as [GraphQLSchema, GraphQLSchema];
      const expected = await affectingChanges(before, after);
      expect(await compareInSlices(before, after)).toEqual(expected);
      expect(await compareInSlices(before, after, definitionsOf(before), definitionsOf(after))).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test('a type whose argument takes another default value from its input type has changed', async () => {
  const variants = Array.from({ length: TYPES }, () => 0);
  const model: Model = { variants, missing: [], hasMutation: false, directive: 0 };
  const after = schemaOf({ ...model, variants: variants.with(1, 3) });
  const changes = await compareInSlices(schemaOf(model), after);
  expect(changes).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/filter.*T\d+\.(v0|fixed)/) }),
  );
});

test('only types with objects of custom scalars as defaults are copied', async () => {
  const copied: string[] = [];
  const schemaWith = (field: string) => {
    const schema = buildSchema(`
      scalar Json
      type Query { a(filter: Json = { b: [1] }): Int ${field}: Int }
      ${Array.from({ length: 2 * TYPES }, (_, index) => `type T${index} { id: ID! }`).join('\n')}
    `);
    for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
      const toConfig = type.toConfig.bind(type);
      type.toConfig = () => {
        copied.push(type.name);
        return toConfig();
      };
    }
    return schema;
  };
  const changes = await compareInSlices(schemaWith('c'), schemaWith('d'));
  expect(copied).toEqual(['Query', 'Query']);
  expect(changes.map(({ coordinate }) => coordinate)).toContain('Query.c');
});
