import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** An operation and values for its variables. */
export interface GeneratedOperation {
  readonly document: string;
  readonly variables: Record<string, boolean>;
}

/** How deep fields are nested. */
const DEPTH = 5;

/**
 * Queries that are valid against a schema: fields, aliases, arguments, inline fragments and spreads with every type
 * condition that can apply, `__typename`, `@skip` and `@include` by variable and by constant.
 */
export function operations(schema: GraphQLSchema): fc.Arbitrary<GeneratedOperation> {
  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no query type');
  return fc
    .record({
      seed: fc.array(fc.nat(1_000_000), { minLength: 60, maxLength: 240 }),
      a: fc.boolean(),
      b: fc.boolean(),
    })
    .map(({ seed, a, b }) => {
      const fragments: string[] = [];
      const body = selections(query, DEPTH, { schema, draw: dice(seed), fragments });
      const document = `query ($a: Boolean!, $b: Boolean!) ${body}\n${fragments.join('\n')}
        fragment Both on Query { __typename @include(if: $a) ... @skip(if: $b) { __typename } }`;
      return { document: document.replace('{', '{ ...Both '), variables: { a, b } };
    });
}

interface Scope {
  readonly schema: GraphQLSchema;
  /** A number below the limit. */
  readonly draw: (limit: number) => number;
  readonly fragments: string[];
}

/** Small numbers make small documents, so that what fails is made smaller. */
function dice(seed: readonly number[]) {
  let at = 0;
  return (limit: number) => (seed[at++] ?? 0) % limit;
}

function selections(type: GraphQLNamedType, depth: number, scope: Scope): string {
  const { draw } = scope;
  const found: string[] = [];
  const count = 1 + draw(4);
  for (let at = 0; at < count; at++) found.push(selection(type, depth, scope));
  return `{ ${found.join(' ')} }`;
}

function selection(type: GraphQLNamedType, depth: number, scope: Scope): string {
  const { schema, draw, fragments } = scope;
  const kind = draw(10);
  if (kind >= 7 && depth > 0) {
    const conditions = conditionsFor(type, schema);
    const condition = conditions[draw(conditions.length)];
    if (condition) {
      const body = selections(condition, depth - 1, scope);
      if (kind === 9) {
        const name = `F${fragments.length}`;
        fragments.push(`fragment ${name} on ${condition.name} ${body}`);
        return `...${name}${directive(draw)}`;
      }
      return `... on ${condition.name}${directive(draw)} ${body}`;
    }
  }
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const usable = fields.filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)));
  const field = kind === 0 ? undefined : usable[draw(usable.length || 1)];
  if (!field) return `__typename${directive(draw)}`;
  return fieldText(field, depth, scope);
}

function fieldText(field: GraphQLField<unknown, unknown>, depth: number, scope: Scope): string {
  const { draw } = scope;
  const named = getNamedType(field.type);
  const variant = draw(3);
  const args = field.args.map(({ name, type }) => {
    if (!isNonNullType(type) && variant === 0) return '';
    return `${name}: ${String(getNamedType(type)) === 'Int' ? variant + 1 : `"${variant}"`}`;
  });
  const given = args.filter((one) => one !== '').join(', ');
  const condition = directive(draw);
  // The same key has the same meaning everywhere, so that any two selections can be merged; the same conditions too,
  // because stitching loses a field that stands twice and is skipped once.
  const signature = `${field.name}_${given}_${field.type}_${condition}`.replace(/!/g, 'N').replace(/\W/g, '');
  const body = isCompositeType(named) ? ` ${selections(named, depth - 1, scope)}` : '';
  return `${signature}: ${field.name}${given && `(${given})`}${condition}${body}`;
}

function directive(draw: (limit: number) => number): string {
  const choices = ['@include(if: $a)', '@skip(if: $b)', '@include(if: true)', '@skip(if: $a) @include(if: $b)'];
  const choice = draw(14);
  return choice < choices.length ? ` ${choices[choice]}` : '';
}

function conditionsFor(type: GraphQLNamedType, schema: GraphQLSchema): GraphQLNamedType[] {
  if (isAbstractType(type)) return [type, ...schema.getPossibleTypes(type)];
  if (isObjectType(type)) return [type, ...type.getInterfaces()];
  return [type];
}
