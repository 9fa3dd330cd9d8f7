import { type GraphQLNamedType, isIntrospectionType, isSpecifiedScalarType, printType } from 'graphql';
import type { Source } from '../sources/index.ts';

/**
 * What `source` offers that one of `others` offers already: a root field of the same name, or a type of the same name
 * that is not the same type. Each conflict is one line that names both sources.
 */
export function conflictsWith(source: Source, others: readonly Source[]): readonly string[] {
  return others.flatMap((other) => [...fieldConflicts(source, other), ...typeConflicts(source, other)]);
}

function rootTypes(source: Source) {
  const { schema } = source;
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
}

function fieldConflicts(source: Source, other: Source): readonly string[] {
  const theirs = rootTypes(other);
  return rootTypes(source).flatMap((root, kind) => {
    const taken = theirs[kind]?.getFields() ?? {};
    const names = Object.keys(root?.getFields() ?? {}).filter((name) => Object.hasOwn(taken, name));
    return names.map((name) => `the root field "${name}" is offered by "${source.name}" and by "${other.name}"`);
  });
}

function typeConflicts(source: Source, other: Source): readonly string[] {
  const roots = new Set<unknown>([...rootTypes(source), ...rootTypes(other)]);
  return Object.values(source.schema.getTypeMap()).flatMap((type) => {
    const theirs = other.schema.getType(type.name);
    if (!theirs || roots.has(type) || isIntrospectionType(type) || isSpecifiedScalarType(type)) return [];
    if (sameType(type, theirs)) return [];
    return [`the type "${type.name}" is not the same in "${source.name}" and in "${other.name}"`];
  });
}

function sameType(one: GraphQLNamedType, two: GraphQLNamedType): boolean {
  return withoutDescriptions(one) === withoutDescriptions(two);
}

function withoutDescriptions(type: GraphQLNamedType): string {
  return printType(type)
    .replace(/"""[\s\S]*?"""/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n');
}
