import { type GraphQLField, getNamedType, isCompositeType, isObjectType, isRequiredArgument } from 'graphql';
import { plannedServices, ServiceObjects } from '../joins/index.ts';
import { unreachableEntities } from './hints-entities.ts';
import type { Supergraph } from './supergraph.ts';

/** The number of subgraph calls from which a field is reported to the operator. An ordinary join needs two. */
const MANY_CALLS = 3;
/** The maximum number of planned operations. Each takes about a tenth of a millisecond. */
const MAX_PLANS = 20_000;

/**
 * Hints for the operator of a supergraph, one per line: fields that need many calls, and entities that cannot be
 * joined.
 */
export function supergraphHints(supergraph: Supergraph): readonly string[] {
  return [...unreachableEntities(supergraph), ...costlyFields(supergraph)];
}

interface Cost {
  readonly calls: number;
  readonly root: string;
  readonly subgraphs: readonly string[];
}

/**
 * Reports fields below root query fields that need several calls, each with the root field for which they need most.
 */
function costlyFields({ schema, types }: Supergraph): readonly string[] {
  const costs = new Map<string, Cost>();
  const objects = new ServiceObjects(types);
  let left = MAX_PLANS;
  for (const root of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const type = getNamedType(root.type);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (left-- <= 0) break;
      const services = callsOf(operationFor(root, field), objects);
      const key = `${type.name}.${field.name}`;
      const known = costs.get(key)?.calls ?? MANY_CALLS - 1;
      if (services.length > known)
        costs.set(key, { calls: services.length, root: `Query.${root.name}`, subgraphs: [...new Set(services)] });
    }
  }
  return [
    ...[...costs].map(
      ([field, { calls, root, subgraphs }]) =>
        `"${field}" costs ${calls} calls when it is asked for by "${root}": of "${subgraphs.join('", "')}"`,
    ),
    ...(left < 0 ? [`only the first ${MAX_PLANS} fields have been looked at for what they cost`] : []),
  ];
}

/** An operation that selects one field of a root field's type. */
function operationFor(root: SchemaField, field: SchemaField): string {
  const variables: string[] = [];
  const called = ({ name, args }: SchemaField) => {
    const given = args.filter(isRequiredArgument).map((argument) => {
      variables.push(`$v${variables.length}: ${String(argument.type)}`);
      return `${argument.name}: $v${variables.length - 1}`;
    });
    return given.length > 0 ? `${name}(${given.join(', ')})` : name;
  };
  const selection = `${called(root)} { ${called(field)} ${isCompositeType(getNamedType(field.type)) ? '{ __typename }' : ''} }`;
  return `query ${variables.length > 0 ? `(${variables.join(', ')})` : ''} { ${selection} }`;
}

type SchemaField = GraphQLField<unknown, unknown>;

/** The subgraphs that an operation calls. A subgraph is listed once for each call. */
function callsOf(operation: string, objects: ServiceObjects): readonly string[] {
  try {
    return plannedServices(operation, objects);
  } catch {
    // The client of an operation that cannot be planned gets an error.
    return [];
  }
}
