import {
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isTypeDefinitionNode,
} from 'graphql';
import { directivesOf } from './directives.ts';
import { requiredCoordinates } from './required-coordinates.ts';

/** What is known of who calls, as far as the directives of federation ask for it. */
export interface CallerGrants {
  readonly isAuthenticated: boolean;
  readonly scopes: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
}

/** What a caller must be or have; all that is set is demanded. */
interface Requirement {
  readonly authenticated: boolean;
  /** Lists of which one has to be fulfilled as a whole. */
  readonly scopes: readonly (readonly string[])[] | undefined;
  readonly policies: readonly (readonly string[])[] | undefined;
}

/** What the directives `@authenticated`, `@requiresScopes` and `@policy` of a supergraph demand, by `Type.field`. */
export type Requirements = ReadonlyMap<string, readonly Requirement[]>;

/**
 * Collects what is demanded for each field: by the field, by the type that it is of, by the type that it is in, and by
 * the fields that it requires of other services. A field of an interface demands what any of its implementations does,
 * because the concrete type is not known yet; and what is demanded of an interface's field holds for all of these.
 */
export function readRequirements(supergraph: DocumentNode, schema: GraphQLSchema): Requirements {
  const own = new Map<string, Requirement>();
  for (const definition of supergraph.definitions) {
    if (!isTypeDefinitionNode(definition)) continue;
    const type = definition.name.value;
    note(own, type, accessRequirementOf(definition));
    if ('fields' in definition)
      for (const field of definition.fields ?? []) note(own, `${type}.${field.name.value}`, accessRequirementOf(field));
  }
  if (own.size === 0) return new Map();
  return spread(own, requiredCoordinates(supergraph), schema);
}

function spread(
  own: ReadonlyMap<string, Requirement>,
  required: ReadonlyMap<string, ReadonlySet<string>>,
  schema: GraphQLSchema,
): Requirements {
  const requirements = new Map<string, readonly Requirement[]>();
  const ofType = (name: string): readonly Requirement[] => {
    const type = schema.getType(name);
    const members = isAbstractType(type) ? schema.getPossibleTypes(type).map((member) => member.name) : [];
    // An interface may be asked for what its members have in common; what they demand is looked at field by field.
    return isInterfaceType(type) ? listed(own, name) : [name, ...members].flatMap((one) => listed(own, one));
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const implementations = isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
    for (const field of Object.values(type.getFields())) {
      const coordinates = [type, ...implementations].flatMap((one) => [
        one.name,
        `${one.name}.${field.name}`,
        ...one.getInterfaces().flatMap((above) => imposed(above, field.name, own, schema)),
      ]);
      const all = [...coordinates, ...coordinates.flatMap((one) => [...(required.get(one) ?? [])])].flatMap((one) =>
        listed(own, one),
      );
      all.push(...ofType(getNamedType(field.type).name));
      if (all.length > 0) requirements.set(`${type.name}.${field.name}`, [...new Set(all)]);
    }
  }
  return requirements;
}

/**
 * Where an interface by itself demands something for a field. Composers tell of an interface what any of its types
 * demands: what these say is not of the others.
 */
function imposed(
  above: GraphQLInterfaceType,
  field: string,
  own: ReadonlyMap<string, Requirement>,
  schema: GraphQLSchema,
): readonly string[] {
  if (!Object.hasOwn(above.getFields(), field)) return [];
  const types = schema.getPossibleTypes(above);
  const isToldOf = (one: string) => own.has(one) || own.has(`${one}.${field}`);
  return types.some(({ name }) => isToldOf(name)) ? [] : [above.name, `${above.name}.${field}`];
}

function listed(own: ReadonlyMap<string, Requirement>, key: string): readonly Requirement[] {
  const found = own.get(key);
  return found ? [found] : [];
}

function note(own: Map<string, Requirement>, key: string, requirement: Requirement | undefined): void {
  if (requirement) own.set(key, requirement);
}

function accessRequirementOf(node: {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}): Requirement | undefined {
  const authenticated = directivesOf(node, 'authenticated').length > 0;
  const [scopes] = directivesOf(node, 'requiresScopes');
  const [policies] = directivesOf(node, 'policy');
  if (!authenticated && !scopes && !policies) return undefined;
  return {
    authenticated,
    scopes: scopes && alternatives(scopes.scopes),
    policies: policies && alternatives(policies.policies),
  };
}

/** What cannot be read grants nothing. */
function alternatives(value: unknown): readonly (readonly string[])[] {
  const lists = Array.isArray(value) ? value : [];
  return lists.filter((list): list is string[] => Array.isArray(list) && list.every((one) => typeof one === 'string'));
}

/** Whether a caller may have what demands all of these. */
export function accessibleTo(caller: CallerGrants, requirements: readonly Requirement[]): boolean {
  return requirements.every(
    ({ authenticated, scopes, policies }) =>
      (!authenticated || caller.isAuthenticated) &&
      fulfilled(scopes, caller.scopes) &&
      fulfilled(policies, caller.policies),
  );
}

function fulfilled(alternatives: Requirement['scopes'], held: ReadonlySet<string>): boolean {
  return alternatives === undefined || alternatives.some((list) => list.every((one) => held.has(one)));
}
