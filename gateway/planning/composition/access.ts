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

/** What the authorization directives of federation need of a caller. */
export interface CallerGrants {
  readonly isAuthenticated: boolean;
  readonly scopes: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
}

/** What a caller needs; all members that are set are required. */
interface Requirement {
  readonly authenticated: boolean;
  /** Lists of scopes; the caller needs all of one list. */
  readonly scopes: readonly (readonly string[])[] | undefined;
  readonly policies: readonly (readonly string[])[] | undefined;
}

/** What the directives `@authenticated`, `@requiresScopes` and `@policy` of a supergraph require, by `Type.field`. */
export type Requirements = ReadonlyMap<string, readonly Requirement[]>;

/**
 * Collects the requirements of each field: its own, those of its parent type and of the type it returns, and those of the
 * fields that it requires of other subgraphs. A field of an interface has the requirements of all of its implementations,
 * because the concrete type is not known yet; and its own requirements hold for all of these.
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
    // The common fields of an interface may be selected; the requirements of its members are checked field by field.
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
 * Where an interface itself has a requirement for a field. Composers give an interface the requirements of all of its types,
 * and those of one type do not hold for the others.
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

/** An unreadable value grants nothing. */
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
