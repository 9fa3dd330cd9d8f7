import type { IResolvers } from '@graphql-tools/utils';
import { astFromValue, type DocumentNode, GraphQLError, type GraphQLResolveInfo, Kind, parse, print } from 'graphql';
import type { Call, Subschema } from '../sources/index.ts';
import { askForRows } from './joined-request.ts';
import { JoinedRows } from './joined-rows.ts';
import { filledIn, holdsFields } from './relationship-arguments.ts';
import type { Relationship } from './relationships.ts';

/** What stitching is told of relationships. */
export interface JoinedFields {
  readonly typeDefs: DocumentNode[];
  readonly resolvers: IResolvers;
}

/**
 * Relationships as fields of the graph: each fetches what it needs beside what the client asks for, and asks its target.
 *
 * @param targetOf the subschema that is stitched for a part of a source.
 */
export function joinedFields(
  relationships: readonly Relationship[],
  targetOf: (subschema: Subschema) => Subschema,
): JoinedFields {
  const resolvers: Record<string, Record<string, object>> = {};
  for (const relationship of relationships) {
    const { type, name, keys } = relationship;
    const fetched = [...keys].map(([key, field]) => `${keyOf(key)}: ${field}`);
    resolvers[type] = {
      ...resolvers[type],
      [name]: {
        ...(fetched.length > 0 && { selectionSet: `{ ${fetched.join(' ')} }` }),
        resolve: resolverOf(relationship, targetOf(relationship.target)),
      },
    };
  }
  return { typeDefs: relationships.map(extension), resolvers: resolvers as IResolvers };
}

/** A response key that no client has for something else. */
function keyOf(field: string): string {
  return `portico_${field}`;
}

function extension({ type, name, answer, clientArguments, description }: Relationship): DocumentNode {
  const inputs = clientArguments.map((argument) => {
    const fallback = astFromValue(argument.defaultValue, argument.type);
    return `${argument.name}: ${String(argument.type)}${fallback ? ` = ${print(fallback)}` : ''}`;
  });
  const given = inputs.length > 0 ? `(${inputs.join(', ')})` : '';
  const told = description ? print({ kind: Kind.STRING, value: description }) : '';
  return parse(`extend type ${type} { ${told} ${name}${given}: ${String(answer)} }`);
}

function resolverOf(relationship: Relationship, target: Subschema) {
  const { keys, steps } = relationship;
  const rowArguments = new Set(steps.flatMap((step) => step.arguments.filter(({ value }) => holdsFields(value))));
  const rows = new JoinedRows((request, values) => askForRows(request, rowArguments, values));
  type Given = Readonly<Record<string, unknown>>;
  return (parent: Given, client: Given, context: Call, info: GraphQLResolveInfo): unknown => {
    for (const field of keys.keys()) {
      const value = parent[keyOf(field)];
      // It says where it is, which is no place that the client asked for.
      if (value instanceof Error)
        throw new GraphQLError(value.message, value instanceof GraphQLError ? { extensions: value.extensions } : {});
      if (value === null || value === undefined) return null;
    }
    const values = [...rowArguments].map(({ value }) => filledIn(value, (field) => parent[keyOf(field)]));
    return rows.answer({ relationship, target, client, context, info }, values);
  };
}
