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
import { directivesOf, hasDirective } from './directives.ts';
import { requiredCoordinates } from './required-coordinates.ts';

/** The rights of a client that federation's authorization directives refer to. */
export interface CallerGrants {
  readonly isAuthenticated: boolean;
  readonly scopes: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
}

/** A requirement of a type or field. All members that are set must be fulfilled. */
interface Requirement {
  readonly authenticated: boolean;
  /** Alternative lists of scopes. The client needs all scopes of at least one list. */
  readonly scopes: readonly (readonly string[])[] | undefined;
  readonly policies: readonly (readonly string[])[] | undefined;
}

/** Requirements of `@authenticated`, `@requiresScopes` and `@policy` in a supergraph, by `Type.field`. */
export type Requirements = ReadonlyMap<string, readonly Requirement[]>;

/**
 * Collects the requirements of each field: its own and those of its parent type, of its return type and of the fields
 * that it requires from other subgraphs. A field of an interface has the requirements of all implementations, because
 * the concrete type is still unknown. The interface field's own requirements apply to all implementations.
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
    // Common fields of an interface may be selected. The requirements of its members are checked for each field.
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
 * The coordinates of an interface that has its own requirement for a field. Composition gives an interface the
 * requirements of all implementing types. These must not apply to the other types, so such an interface yields no
 * coordinates.
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
  const authenticated = hasDirective(node, 'authenticated');
  const [scopes] = directivesOf(node, 'requiresScopes');
  const [policies] = directivesOf(node, 'policy');
  if (!authenticated && !scopes && !policies) return undefined;
  return {
    authenticated,
    scopes: scopes && alternatives(scopes.scopes),
    policies: policies && alternatives(policies.policies),
  };
}

/** Reads alternative lists. An unreadable value grants nothing. */
function alternatives(value: unknown): readonly (readonly string[])[] {
  const lists = Array.isArray(value) ? value : [];
  return lists.filter((list): list is string[] => Array.isArray(list) && list.every((one) => typeof one === 'string'));
}

/** Whether a client fulfils all of these requirements. */
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
