import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { operationOfRootType } from '../../graphql/schemas/index.ts';
import {
  parseFieldSet,
  type RootLookup,
  type ServiceField,
  type ServiceType,
  type SupergraphTypes,
  type TypeModel,
} from '../../planning/supergraph/index.ts';
import type { Subschema } from '../../sources/index.ts';
import type { Relationship } from '../relationships/index.ts';
import { relationshipField, rootLookup } from './root-calls.ts';

/** The sources of a role's graph and the relationships between their types. */
export interface JoinedParts {
  /** The graph with the root type names that sources use. */
  readonly internal: GraphQLSchema;
  readonly subschemas: readonly Subschema[];
  readonly relationships: readonly Relationship[];
}

/** Translates a role's graph into the planner's model, in which each source is a service. */
export function joinedTypes({ internal, subschemas, relationships }: JoinedParts): SupergraphTypes {
  const related = relatedTypes(relationships);
  const schemas = [internal, ...subschemas.map(({ schema }) => schema)];
  const isKnown = (name: string) => schemas.some((schema) => schema.getType(name) !== undefined);
  /**
   * Only results for known names are cached. Unknown names come from services and clients and could fill the memory.
   */
  const ofKnown = <T>(make: (name: string) => T) => {
    const known = new Map<string, T>();
    return (name: string): T | undefined => {
      if (!known.has(name) && isKnown(name)) known.set(name, make(name));
      return known.get(name);
    };
  };
  const type = ofKnown((name) => typeModel(name, { internal, subschemas, related }));
  const isAbstract = ofKnown((name) => schemas.some((schema) => isAbstractType(schema.getType(name))));
  const members = ofKnown((name) => new Set(schemas.flatMap((schema) => membersOf(schema, name))));
  const objects = ofKnown((name) => [...(members(name) ?? [])].filter((member) => !isAbstract(member)));
  const hidesValues = ofKnown((name) => {
    const shown = valuesOf(internal, name);
    return schemas.some((schema) => valuesOf(schema, name).some((value) => !shown.includes(value)));
  });
  const directives = new Set(
    subschemas.flatMap(({ schema }) => schema.getDirectives().map((directive) => directive.name)),
  );
  return {
    services: subschemas.map(({ source }) => source),
    hiddenFields: new Set(subschemas.flatMap(hiddenFieldsOf)),
    rootType: (operation) => internal.getRootType(operation)?.name ?? '',
    type,
    isA: (typename, condition) => typename === condition || members(condition)?.has(typename) === true,
    isAbstract: (typename) => isAbstract(typename) === true,
    objectsOf: (name) => objects(name) ?? [],
    isHidden: (name, value) => value === undefined && internal.getType(name) === undefined && isKnown(name),
    hidesValues: (name) => hidesValues(name) === true,
    answers: (service, typename, field) => {
      const found = type(typename)?.in(service)?.field(field);
      return field === '__typename' || (found !== undefined && !found.isHidden && found.requires === undefined);
    },
    keysOf: () => [],
    directivesOf: (field) => executableDirectives(field, directives),
    knowsDirective: (service, name) =>
      subschemas.find(({ source }) => source === service)?.schema.getDirective(name) != null,
  };
}

/** The names of fields that a source has but clients do not see there. */
function hiddenFieldsOf({ schema, visible = schema }: Subschema): readonly string[] {
  if (visible === schema) return [];
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    const shown = visible.getType(type.name);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.keys(type.getFields()).filter((field) => !fieldIn(shown, field));
  });
}

const NONE: readonly never[] = [];

function executableDirectives({ directives = NONE }: FieldNode, known: ReadonlySet<string>) {
  if (directives.length === 0) return NONE;
  return directives.filter(({ name: { value } }) => value !== 'skip' && value !== 'include' && known.has(value));
}

function valuesOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  return isEnumType(type) ? type.getValues().map((value) => value.name) : [];
}

/** The objects and interfaces that belong to an interface or union. */
function membersOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  if (isUnionType(type)) return type.getTypes().map((one) => one.name);
  if (!isInterfaceType(type)) return [];
  const { objects, interfaces } = schema.getImplementations(type);
  return [...objects, ...interfaces].map((one) => one.name);
}

/** Relationships by the type that has them and by the source that resolves them. */
type RelatedTypes = ReadonlyMap<string, ReadonlyMap<string, ServiceType>>;

function relatedTypes(relationships: readonly Relationship[]): RelatedTypes {
  const found = new Map<string, Map<string, Map<string, ServiceField>>>();
  for (const relationship of relationships) {
    const byTarget = found.get(relationship.type) ?? new Map<string, Map<string, ServiceField>>();
    const fields = byTarget.get(relationship.target) ?? new Map<string, ServiceField>();
    fields.set(relationship.name, relationshipField(relationship));
    found.set(relationship.type, byTarget.set(relationship.target, fields));
  }
  const asType = (fields: ReadonlyMap<string, ServiceField>): ServiceType => ({
    isInterfaceObject: false,
    keys: [],
    lookups: [],
    allKeys: [],
    unionMembers: NO_NAMES,
    interfaces: NO_NAMES,
    field: (name) => fields.get(name),
  });
  return new Map(
    [...found].map(([type, byTarget]) => [
      type,
      new Map([...byTarget].map(([target, fields]) => [target, asType(fields)])),
    ]),
  );
}

const NO_NAMES: ReadonlySet<string> = new Set();

interface ModelScope {
  readonly internal: GraphQLSchema;
  readonly subschemas: readonly Subschema[];
  readonly related: RelatedTypes;
}

function typeModel(name: string, { internal, subschemas, related }: ModelScope): TypeModel | undefined {
  const root = operationOfRootType(name, internal);
  // Root types may have other names in a source.
  const typeIn = (schema: GraphQLSchema) => (root ? schema.getRootType(root) : schema.getType(name)) ?? undefined;
  const owners = subschemas.filter(({ schema }) => isComposite(typeIn(schema)));
  const shown = internal.getType(name) ?? (owners[0] && typeIn(owners[0].schema));
  if (!isComposite(shown)) return undefined;
  const known = new Map<string, ServiceType>();
  const typeOf = (field: string) => {
    for (const type of [shown, ...owners.map(({ schema }) => typeIn(schema))]) {
      const found = fieldIn(type, field);
      if (found) return found.type;
    }
    return undefined;
  };
  return {
    name,
    kind: isUnionType(shown) ? 'union' : isInterfaceType(shown) ? 'interface' : 'object',
    interfaces: 'getInterfaces' in shown ? shown.getInterfaces().map((one) => one.name) : [],
    services: owners.map(({ source }) => source),
    fieldType: (field) => {
      const type = typeOf(field);
      return type && String(type);
    },
    fieldTypeName: (field) => {
      const type = typeOf(field);
      return type && getNamedType(type).name;
    },
    in: (service) => {
      const owner = known.has(service) ? undefined : owners.find(({ source }) => source === service);
      if (owner) known.set(service, serviceType(name, owner, typeIn));
      return known.get(service);
    },
    relationships: (service) => related.get(name)?.get(service),
  };
}

function serviceType(
  name: string,
  { schema, visible = schema, joins }: Subschema,
  typeIn: (schema: GraphQLSchema) => GraphQLNamedType | undefined,
): ServiceType {
  const type = typeIn(schema);
  const own = joins?.get(name);
  let lookups: readonly RootLookup[] | undefined;
  const fields = new Map<string, ServiceField | undefined>();
  return {
    isInterfaceObject: false,
    keys: [],
    get lookups() {
      lookups ??= (own?.lookups ?? []).flatMap((one) => rootLookup(one, schema) ?? []);
      return lookups;
    },
    allKeys: [],
    unionMembers: new Set(isUnionType(type) ? type.getTypes().map((one) => one.name) : []),
    interfaces: new Set(isObjectType(type) ? type.getInterfaces().map((one) => one.name) : []),
    field: (field) => {
      if (fields.has(field)) return fields.get(field);
      const found = fieldIn(type, field);
      const made = found && serviceField(found, fieldIn(typeIn(visible), field), own?.requires.get(field));
      if (made) fields.set(field, made);
      return made;
    },
  };
}

function serviceField(
  field: GraphQLField<unknown, unknown>,
  shown: GraphQLField<unknown, unknown> | undefined,
  requires: string | undefined,
): ServiceField {
  return {
    isResolvable: true,
    isHidden: shown === undefined,
    arguments: new Set((shown ?? field).args.map(({ name }) => name)),
    requires: requires === undefined ? undefined : { text: requires, selections: parseFieldSet(requires) },
    provides: undefined,
    type: String(field.type),
    typeName: getNamedType(field.type).name,
  };
}

function isComposite(type: GraphQLNamedType | undefined) {
  return isObjectType(type) || isInterfaceType(type) || isUnionType(type);
}

function fieldIn(type: GraphQLNamedType | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  const fields = type.getFields();
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
