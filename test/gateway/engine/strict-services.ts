import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import {
  execute,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  parse,
  type SelectionNode,
  validate,
  valueFromASTUntyped,
} from 'graphql';
import { givenValues, selectedOf } from '../generated/supergraphs/model-values.ts';
import type { Service } from './in-process-services.ts';
import { factsOf, type SubgraphFacts } from './subgraph-facts.ts';

/** An object of the data, with its fields: values, or functions of a field's arguments. Every service has the same. */
export interface DataObject {
  readonly __typename: string;
  readonly [field: string]: unknown;
}

/** What a field that is a function is called with, beside its arguments. */
export interface FieldScope {
  /** What the field requires, as its service was sent it. */
  readonly required: Readonly<Record<string, unknown>>;
  /** The service that is asked; none for the one schema of everything. */
  readonly service: string | undefined;
}

export interface StrictGraph {
  /** SDL of each service, without the link to the specification. Those of the first version stay as they are. */
  readonly subgraphs: Readonly<Record<string, string | { readonly sdl: string; readonly version: 1 }>>;
  /** Root fields, by the names of their types. */
  readonly roots: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The entities. */
  readonly entities?: readonly DataObject[];
}

export interface StrictServices {
  readonly sdls: ReadonlyMap<string, string>;
  readonly services: ReadonlyMap<string, Service>;
  /** What services rejected, and why. */
  readonly rejections: string[];
  /** One schema of everything, which clients see. */
  wholeSchema(publicSchema: GraphQLSchema): GraphQLSchema;
}

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable", "@override",
  "@requires", "@external", "@provides", "@interfaceObject", "@inaccessible"])\n`;

/** An object as a service has it. */
interface Located {
  readonly __typename: string;
  readonly data: DataObject;
  /** The representation that it was found by. */
  readonly given?: Readonly<Record<string, unknown>>;
  readonly provided?: ReadonlyMap<string, readonly SelectionNode[]>;
}

/** Services that answer with the same data, and reject what a gateway must not send. */
export function openStrictServices(graph: StrictGraph): StrictServices {
  const rejections: string[] = [];
  const sdls = sdlsOf(graph);
  const facts = new Map([...sdls].map(([name, sdl]) => [name, factsOf(parse(sdl))]));
  const scope: Scope = { ...graph, facts };
  const services = [...sdls].map(([name, sdl]): [string, Service] => {
    const schema = serviceSchema(scope, name, sdl);
    return [
      name,
      async ({ query, variables }) => {
        const document = parse(query);
        const problems = validate(schema, document);
        const result =
          problems.length > 0 ? { errors: problems } : await execute({ schema, document, variableValues: variables });
        const rejected = (result.errors ?? []).filter(({ extensions }) => extensions.code !== OF_DATA);
        for (const { message } of rejected)
          rejections.push(`${name}: ${message}: ${query} ${JSON.stringify(variables)}`);
        return result;
      },
    ];
  });
  return { sdls, services: new Map(services), rejections, wholeSchema: (schema) => wholeSchema(schema, scope) };
}

/** The SDL of each service, with the link to the specification. */
export function sdlsOf({ subgraphs }: Pick<StrictGraph, 'subgraphs'>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(subgraphs).map(([name, one]) => [name, typeof one === 'string' ? LINK + one : one.sdl]),
  );
}

/** The code of errors that are part of the data. */
export const OF_DATA = 'OF_DATA';

interface Scope extends StrictGraph {
  readonly facts: ReadonlyMap<string, SubgraphFacts>;
}

/** The value of a field, before it is checked. */
function fieldValue(data: DataObject, field: string, args: object, scope: FieldScope): unknown {
  const value = data[field];
  if (value instanceof Error) throw new GraphQLError(value.message, { extensions: { code: OF_DATA } });
  return typeof value === 'function' ? value(args, scope) : value;
}

/** What any service says that a field requires. */
function requirementOf({ facts }: Scope, type: string, field: string): readonly SelectionNode[] | undefined {
  const interfaces = new Set([...facts.values()].flatMap((one) => [...(one.get(type)?.interfaces ?? [])]));
  for (const one of facts.values())
    for (const name of [type, ...interfaces]) {
      const found = one.get(name)?.fields.get(field)?.requires;
      if (found) return found;
    }
  return undefined;
}

/** The value of a field as one service of everything has it. */
function truthOf(scope: Scope, data: DataObject, field: string, args: object): unknown {
  const requires = requirementOf(scope, data.__typename, field);
  const required = requires ? projectionOf(scope, data, requires) : {};
  return fieldValue(data, field, args, { required, service: undefined });
}

function projectionOf(scope: Scope, data: DataObject, selections: readonly SelectionNode[]): Record<string, unknown> {
  const below = (value: unknown, inner: readonly SelectionNode[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => below(item, inner));
    return value === null || value === undefined ? null : projectionOf(scope, value as DataObject, inner);
  };
  return Object.fromEntries(
    selectedOf(selections, data.__typename).map(({ name, arguments: given = [], selectionSet }) => {
      const args = Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
      const value = truthOf(scope, data, name.value, args);
      return [name.value, selectionSet ? below(value, selectionSet.selections) : (value ?? null)];
    }),
  );
}

function wholeSchema(schema: GraphQLSchema, scope: Scope): GraphQLSchema {
  const resolvers: Record<string, Record<string, unknown>> = {};
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isAbstractType(type)) resolvers[type.name] = { __resolveType: ({ __typename }: DataObject) => __typename };
    else if (isObjectType(type))
      resolvers[type.name] = Object.fromEntries(
        Object.keys(type.getFields()).map((name) => [
          name,
          (parent: DataObject | undefined, args: object) =>
            truthOf(scope, parent ?? rootOf(scope, type.name), name, args),
        ]),
      );
  }
  return addResolversToSchema({ schema, resolvers: resolvers as never });
}

function rootOf({ roots }: StrictGraph, type: string): DataObject {
  return { __typename: type, ...roots[type] };
}

function serviceSchema(scope: Scope, service: string, sdl: string): GraphQLSchema {
  const typeDefs = parse(sdl);
  const facts = scope.facts.get(service) ?? new Map();
  const resolvers: Record<string, Record<string, unknown>> = {};
  for (const type of Object.values(buildSubgraphSchema({ typeDefs }).getTypeMap())) {
    if (type.name.startsWith('_')) continue;
    const own: Record<string, unknown> = {};
    if (facts.get(type.name)?.keys.length)
      own.__resolveReference = (given: DataObject) => found(scope, service, type.name, given);
    if (isAbstractType(type)) own.__resolveType = ({ __typename }: Located) => __typename;
    else if (isObjectType(type))
      for (const [name, field] of Object.entries(type.getFields())) {
        if (name.startsWith('_')) continue;
        const named = getNamedType(field.type).name;
        own[name] = (parent: Located | undefined, args: object) => {
          const located = parent ?? { __typename: type.name, data: rootOf(scope, type.name) };
          return resolved(scope, service, { type: type.name, name, named }, located, args);
        };
      }
    if (Object.keys(own).length > 0) resolvers[type.name] = own;
  }
  return buildSubgraphSchema({ typeDefs, resolvers: resolvers as never });
}

function resolved(
  scope: Scope,
  service: string,
  { type, name, named }: { readonly type: string; readonly name: string; readonly named: string },
  { data, given, provided }: Located,
  args: object,
): unknown {
  const facts = scope.facts.get(service);
  const { isExternal = false, requires, provides = [] } = facts?.get(type)?.fields.get(name) ?? {};
  const providedBelow = provided?.get(name);
  const own = facts?.get(type);
  const isKey = own?.keys.some((key) => key.some((one) => one.kind === Kind.FIELD && one.name.value === name));
  const isKnown = isKey && (own?.isExtension || given?.[name] !== undefined);
  if (isExternal && !providedBelow && !isKnown) throw new GraphQLError(`${type}.${name} is external in ${service}`);
  let required: Readonly<Record<string, unknown>> = {};
  if (requires) {
    if (!given) throw new GraphQLError(`${type}.${name} needs a representation`);
    required = givenValues(given, requires) as Readonly<Record<string, unknown>>;
    const truth = projectionOf(scope, data, requires);
    if (JSON.stringify(required) !== JSON.stringify(truth))
      throw new GraphQLError(`${type}.${name} got ${JSON.stringify(required)} in place of ${JSON.stringify(truth)}`);
  }
  const value = fieldValue(data, name, args, { required, service });
  return located(value, facts?.get(named)?.isInterfaceObject ? named : undefined, [
    ...(providedBelow ?? []),
    ...provides,
  ]);
}

/** Objects of a value as a service has them. */
function located(value: unknown, objectType: string | undefined, provides: readonly SelectionNode[]): unknown {
  if (Array.isArray(value)) return value.map((item) => located(item, objectType, provides));
  if (typeof value !== 'object' || value === null || !('__typename' in value)) return value;
  const data = value as DataObject;
  const provided = new Map(
    selectedOf(provides, data.__typename).map(({ name, selectionSet }) => [name.value, selectionSet?.selections ?? []]),
  );
  return { __typename: objectType ?? data.__typename, data, ...(provided.size > 0 && { provided }) } satisfies Located;
}

/** The object that a representation stands for. It needs a whole key of its service. */
function found(scope: Scope, service: string, type: string, given: DataObject): Located | null {
  const facts = scope.facts.get(service)?.get(type);
  const keys = (facts?.keys ?? []).filter((key) => hasAll(given, key));
  if (keys.length === 0) throw new GraphQLError(`no whole key of ${type}: ${JSON.stringify(given)}`);
  const isOfType = ({ __typename }: DataObject) =>
    __typename === type || [...scope.facts.values()].some((one) => one.get(__typename)?.interfaces.has(type));
  const data = (scope.entities ?? []).find(
    (entity) =>
      isOfType(entity) &&
      keys.every((key) => JSON.stringify(givenValues(given, key)) === JSON.stringify(projectionOf(scope, entity, key))),
  );
  if (!data) return null;
  return { __typename: facts?.isInterfaceObject ? type : data.__typename, data, given };
}

function hasAll(given: unknown, selections: readonly SelectionNode[]): boolean {
  return selections.every((selection) => {
    if (selection.kind !== Kind.FIELD) return false;
    const value = (given as Readonly<Record<string, unknown>> | undefined)?.[selection.name.value];
    if (value === undefined || value === null) return false;
    return !selection.selectionSet || hasAll(value, selection.selectionSet.selections);
  });
}
