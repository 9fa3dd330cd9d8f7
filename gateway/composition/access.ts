import {
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
} from 'graphql';
import { directivesOf } from './directives.ts';

/** What is known of who calls, as far as the directives of federation ask for it. */
export interface Caller {
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

const SPECIFICATIONS = { authenticated: 'authenticated', requiresScopes: 'requiresScopes', policy: 'policy' } as const;

/**
 * Collects what is demanded for each field: by the field, by the type that it is of, by the type that it is in. A field
 * of an interface demands what any of its implementations does, because nobody knows yet which one it will be.
 */
export function readRequirements(supergraph: DocumentNode, schema: GraphQLSchema): Requirements {
  const names = directiveNames(supergraph);
  const own = new Map<string, Requirement>();
  for (const definition of supergraph.definitions) {
    if (!isTypeDefinitionNode(definition)) continue;
    const type = definition.name.value;
    note(own, type, requirementOf(definition, names));
    if ('fields' in definition)
      for (const field of definition.fields ?? [])
        note(own, `${type}.${field.name.value}`, requirementOf(field, names));
  }
  if (own.size === 0) return new Map();
  return spread(own, schema);
}

function spread(own: ReadonlyMap<string, Requirement>, schema: GraphQLSchema): Requirements {
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
      const all = [type, ...implementations].flatMap((one) => [
        ...listed(own, one.name),
        ...listed(own, `${one.name}.${field.name}`),
      ]);
      all.push(...ofType(getNamedType(field.type).name));
      if (all.length > 0) requirements.set(`${type.name}.${field.name}`, [...new Set(all)]);
    }
  }
  return requirements;
}

function listed(own: ReadonlyMap<string, Requirement>, key: string): readonly Requirement[] {
  const found = own.get(key);
  return found ? [found] : [];
}

function note(own: Map<string, Requirement>, key: string, requirement: Requirement | undefined): void {
  if (requirement) own.set(key, requirement);
}

type Names = Readonly<Record<keyof typeof SPECIFICATIONS, string>>;

/** A supergraph may import a directive under another name. */
function directiveNames(supergraph: DocumentNode): Names {
  const names: Record<string, string> = { ...SPECIFICATIONS };
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue;
    for (const { url, as } of directivesOf(definition, 'link')) {
      const specification = /\/(authenticated|requiresScopes|policy)\/v[\d.]+$/.exec(String(url))?.[1];
      if (specification !== undefined && typeof as === 'string') names[specification] = as;
    }
  }
  return names as Names;
}

function requirementOf(
  node: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  names: Names,
): Requirement | undefined {
  const authenticated = directivesOf(node, names.authenticated).length > 0;
  const [scopes] = directivesOf(node, names.requiresScopes);
  const [policies] = directivesOf(node, names.policy);
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
export function accessibleTo(caller: Caller, requirements: readonly Requirement[]): boolean {
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
