import fc from 'fast-check';

/** Paths that may go into one expression: neither is part of another. */
const PATHS = [
  'id',
  'code',
  'n',
  'owner.id',
  'owner.name',
  'parts',
  'deep.in.x',
  'deep.in.y',
  '__typename',
  'price',
  'size.w',
] as const;
const KEYS = [
  'id',
  'code',
  'n',
  'owner { id name }',
  'owner { id }',
  'parts { sku maker { id } }',
  'deep { in { x y } }',
  'deep { in { y } }',
];
const REQUIRED = ['price', 'size { w h }', 'owner { name }'];
/** What a key may consist of, and what fields require: so paths lead to something. */
const ALL_OF_KEY = '{ id code n owner { id name } parts { sku maker { id } } deep { in { x y } } }';

const scalar = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom('', 'a', '__proto__'), fc.constant(null));
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 6 });
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 6 });
const ids = (...names: string[]) => nullable(fc.record(Object.fromEntries(names.map((name) => [name, maybe(scalar)]))));
const part = nullable(fc.record({ sku: maybe(scalar), maker: maybe(ids('id', 'other')) }));
export const objects = fc.record({
  __typename: fc.constant('Thing'),
  id: scalar,
  code: maybe(scalar),
  n: maybe(scalar),
  owner: maybe(ids('id', 'name', 'other')),
  parts: maybe(nullable(fc.array(part, { maxLength: 3 }))),
  deep: maybe(nullable(fc.record({ in: maybe(ids('x', 'y', 'z')) }))),
  price: maybe(scalar),
  size: maybe(ids('w', 'h')),
  unrelated: maybe(scalar),
});

const constant = fc.constantFrom('1', '"text"', 'NEW', 'null', '[1, [2, A], 3]', '{ a: { b: 1.5 } }', 'true');
const paths = fc.shuffledSubarray([...PATHS], { minLength: 1, maxLength: 4 });

/** An input object of parts of a key, some of them nested. The library leaves out constants within `[[…]]`. */
const keyObject = (isMany: boolean) =>
  fc
    .tuple(paths, fc.array(constant, { maxLength: isMany ? 0 : 2 }), fc.boolean())
    .map(([used, constants, isNested]) => {
      const holes = used.map((path, index) => `f${index}: $key.${path}`);
      const rest = constants.map((value, index) => `c${index}: ${value}`);
      return isNested
        ? `{ inner: { ${holes.join(', ')} } ${rest.join(' ')} }`
        : `{ ${[...rest, ...holes].join(', ')} }`;
    });
const wrapped = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `{ in: ${text} }`,
  (text) => `{ x: 1, in: { list: ${text} } }`,
);

/** The arguments of `@merge`, for a field with the arguments `a` and `b`, or `a` alone. */
const notation = (isMany: boolean, hasPaths: boolean) => {
  const partOfKey = fc.oneof(
    fc.constantFrom('', 'keyField: "id"', 'keyField: "code"'),
    fc.constantFrom('key: ["id", "x.y:owner.id"]', 'key: ["n", "size.w"]', 'key: "price"'),
  );
  const short = fc.constantFrom('a', 'a.in', 'a.in.ids').chain((keyArg) => {
    const within = keyArg === 'a' ? '' : 'additionalArgs: "a: { first: 3 }"';
    const more = fc.constantFrom('', 'additionalArgs: "b: 1"', 'additionalArgs: "b: { c: [A] }"', within);
    const key = hasPaths ? partOfKey : fc.constantFrom('', 'keyField: "id"', 'keyField: "code"');
    return fc
      .tuple(key, more)
      .map(([given, added]) => ({ fields: 'a: In, b: In', merge: `(keyArg: "${keyArg}" ${given} ${added})` }));
  });
  const value = hasPaths
    ? fc.oneof(keyObject(isMany), fc.constantFrom(...PATHS.map((path) => `$key.${path}`)), fc.constant('$key'))
    : fc.constant('$key');
  const expression = fc
    .tuple(value, wrapped, fc.constantFrom('', ', b: 5', ' b: { c: A }'))
    .map(([one, wrap, more]) => `a: ${wrap(isMany ? `[[${one}]]` : one)}${more}`)
    .map((text) => ({ fields: 'a: In, b: In', merge: `(argsExpr: ${JSON.stringify(text)})` }));
  return fc.oneof(fc.constant({ fields: 'a: In', merge: '' }), short, expression);
};

const rootFields = (hasPaths: boolean) =>
  fc.array(
    fc
      .tuple(fc.boolean(), fc.constantFrom('Thing', 'Node', 'Any'))
      .chain(([isMany, type]) =>
        notation(isMany, hasPaths).map((how) => ({ ...how, type: isMany ? `[${type}]` : type })),
      ),
    { minLength: 1, maxLength: 4 },
  );

/** With paths, the keys contain all that these may lead to: what no key contains is a problem of ours alone. */
export const schemas = fc.boolean().chain((hasPaths) =>
  fc
    .record({
      thing: fc.shuffledSubarray(KEYS, { minLength: 1 }),
      other: fc.shuffledSubarray(KEYS, { minLength: 1 }),
      required: fc.shuffledSubarray(REQUIRED, { minLength: hasPaths ? REQUIRED.length : 0 }),
      roots: rootFields(hasPaths),
    })
    .map(({ thing, other, required, roots }) => {
      const key = (some: readonly string[]) => (hasPaths ? ALL_OF_KEY : `{ ${some.join(' ')} }`);
      const fields = roots.map(
        ({ fields: given, merge, type }, index) => `r${index}(${given}): ${type} @merge${merge}`,
      );
      const computed = required.map((text, index) => `c${index}: Int @computed(selectionSet: "{ ${text} }")`);
      return `type Query { ${fields.join(' ')} }
        scalar In
        interface Node { id: ID } union Any = Thing | Other
        type Thing implements Node @key(selectionSet: "${key(thing)}") { id: ID ${computed.join(' ')} }
        type Other implements Node @key(selectionSet: "${key(other)}") {
          id: ID c: Int @computed(selectionSet: "{ price size { w h } }")
        }`;
    }),
);
