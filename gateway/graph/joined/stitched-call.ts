import { type GraphQLSchema, getNamedType, isAbstractType } from 'graphql';
import type { StitchedLookup } from '../../sources/index.ts';
import { parseFieldSet, type RootLookup } from '../../supergraph/index.ts';

/** How a stitched service returns objects of a type; undefined where it has no such root field. */
export function rootLookup(
  { field, key, isMany, arguments: names, argumentsFor }: StitchedLookup,
  schema: GraphQLSchema,
): RootLookup | undefined {
  const found = schema.getQueryType()?.getFields()[field];
  if (!found) return undefined;
  const given = found.args
    .filter(({ name }) => names.includes(name))
    .map(({ name, type }) => ({ name, type, isConstant: false }));
  return {
    key: key === '' ? undefined : { text: key, selections: parseFieldSet(key) },
    call: { steps: [{ field, arguments: given }], isMany, valuesFor: (objects) => [argumentsFor(objects)] },
    isAbstract: isAbstractType(getNamedType(found.type)),
  };
}
