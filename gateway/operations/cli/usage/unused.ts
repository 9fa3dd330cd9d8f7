import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { NO_QUERIES_FIELD } from '../../../graph/index.ts';
import { type RecordedUsage, usageOfCoordinates } from '../../usage/index.ts';

/** Parts of a schema that no operation uses. Parts of an unused type, field or argument are not listed separately. */
export interface UnusedParts {
  readonly types: readonly string[];
  readonly fields: readonly string[];
  readonly arguments: readonly string[];
  readonly inputFields: readonly string[];
  readonly enumValues: readonly string[];
}

/** Finds the unused parts of a schema. A use of an interface's field is also a use of the field in the implementing types. */
export function unusedParts(schema: GraphQLSchema, { records }: Pick<RecordedUsage, 'records'>): UnusedParts {
  const isUsedBy = usageOfCoordinates(schema);
  const coordinates = new Set(records.flatMap(({ operation }) => [...operation.coordinates]));
  const isUsed = (coordinate: string) => isUsedBy({ coordinates }, coordinate);
  const unused = (names: readonly string[]) => names.filter((name) => !isUsed(name));
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const parts = {
    types: [] as string[],
    fields: [] as string[],
    arguments: [] as string[],
    inputFields: [] as string[],
    enumValues: [] as string[],
  };
  for (const type of Object.values(schema.getTypeMap())) {
    const { name } = type;
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
    const isRoot = isObjectType(type) && roots.has(type);
    // Objects that operations reach only through an interface have no coordinates of their own.
    if (!isRoot && ![name, ...interfaces.map((each) => each.name)].some(isUsed)) parts.types.push(name);
    else if (isEnumType(type))
      parts.enumValues.push(...unused(type.getValues().map((value) => `${name}.${value.name}`)));
    else if (isInputObjectType(type))
      parts.inputFields.push(...unused(Object.keys(type.getFields()).map((field) => `${name}.${field}`)));
    else if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) {
        if (field.name === NO_QUERIES_FIELD) continue;
        const names = [name, ...interfaces.map((each) => each.name)];
        if (!names.some((each) => isUsed(`${each}.${field.name}`))) parts.fields.push(`${name}.${field.name}`);
        else
          parts.arguments.push(
            ...field.args
              .filter((argument) => !names.some((each) => isUsed(`${each}.${field.name}(${argument.name}:)`)))
              .map((argument) => `${name}.${field.name}(${argument.name}:)`),
          );
      }
  }
  return parts;
}
