import { type DirectiveNode, type DocumentNode, Kind, visit } from 'graphql';
import { directivesOf } from './directives.ts';
import { UnusableSupergraph } from './errors.ts';

/** A specification that a supergraph declares in `@link` or `@core`. */
interface Specification {
  readonly url: string;
  /** The name in the URL, such as `inaccessible` in `https://specs.apollo.dev/inaccessible/v0.2`. */
  readonly name: string;
  readonly purpose: string | undefined;
  /** The names of its directives in the supergraph, by their original names. */
  readonly directives: ReadonlyMap<string, string>;
}

/**
 * The supported specifications, by the names of their directives. Another check rejects uses of `context`. `cacheTag`
 * is ignored, since it is meant for response caches, and the gateway has none.
 */
const KNOWN: ReadonlySet<string> = new Set([
  'join',
  'inaccessible',
  'authenticated',
  'requiresScopes',
  'policy',
  'context',
  'cacheTag',
]);
const OWNER = 'https://specs.apollo.dev/';
/** Purposes for which a router must support the specification to be permitted to serve the supergraph. */
const PURPOSES: ReadonlySet<unknown> = new Set(['SECURITY', 'EXECUTION']);

/**
 * Restores the usual names of the directives of known specifications. A supergraph may import these directives under
 * other names. If only the usual names were read, inaccessible elements would be exposed and authorization would be
 * skipped.
 *
 * @returns the given supergraph if all names are usual
 * @throws UnusableSupergraph if an unknown or unnamed specification has the purpose security or execution
 */
export function withUsualNames(supergraph: DocumentNode): DocumentNode {
  const specifications = specificationsOf(supergraph);
  const problems = specifications.flatMap(({ url, name, purpose }): readonly string[] => {
    if (!URL.canParse(url)) return [`it links to "${url}", which is not a URL`];
    const isKnown = KNOWN.has(name) && url.startsWith(OWNER);
    return PURPOSES.has(purpose) && !isKnown ? [`it uses "${url}" for ${purpose}, which is not known here`] : [];
  });
  if (problems.length > 0) throw new UnusableSupergraph(problems);
  const usual = new Map<string, string>();
  for (const { name, directives } of specifications)
    for (const [own, given] of directives) if (KNOWN.has(name) && own !== given) usual.set(given, own);
  if (usual.size === 0) return supergraph;
  // A directive with a usual name that was not imported belongs to another specification.
  const taken = new Set([...usual.values()].filter((name) => !usual.has(name)));
  const renamed = ({ name, ...node }: DirectiveNode): DirectiveNode => {
    const value = usual.get(name.value) ?? (taken.has(name.value) ? `other__${name.value}` : name.value);
    return { ...node, name: { ...name, value } };
  };
  return visit(supergraph, {
    Directive: renamed,
    DirectiveDefinition: ({ name, ...node }) => {
      const value = usual.get(name.value) ?? (taken.has(name.value) ? `other__${name.value}` : name.value);
      return { ...node, name: { ...name, value } };
    },
    SchemaDefinition: ({ directives = [], ...node }) => ({ ...node, directives: directives.map(withoutRenaming) }),
    SchemaExtension: ({ directives = [], ...node }) => ({ ...node, directives: directives.map(withoutRenaming) }),
  });
}

/** Removes the names from a `@link` or `@core` of a known specification, since they are no longer used. */
function withoutRenaming(directive: DirectiveNode): DirectiveNode {
  const [specification] = readSpecifications([directive]);
  if (!specification || !KNOWN.has(specification.name)) return directive;
  const kept = (directive.arguments ?? []).filter(({ name }) => name.value !== 'as' && name.value !== 'import');
  return { ...directive, arguments: kept };
}

function specificationsOf(supergraph: DocumentNode): readonly Specification[] {
  return supergraph.definitions.flatMap((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? readSpecifications(definition.directives ?? [])
      : [],
  );
}

function readSpecifications(directives: readonly DirectiveNode[]): readonly Specification[] {
  const holder = { directives: directives as readonly never[] };
  const links = [...directivesOf(holder, 'link'), ...directivesOf(holder, 'core')];
  return links.flatMap((link): Specification[] => {
    const url = typeof link.url === 'string' ? link.url : link.feature;
    const name = typeof url === 'string' ? /\/([^/]+)\/v[\d.]+\/?$/.exec(url)?.[1] : undefined;
    if (typeof url !== 'string') return [];
    const purpose = typeof link.for === 'string' ? link.for : undefined;
    if (name === undefined) return [{ url, name: '', purpose, directives: new Map() }];
    const names = new Map<string, string>();
    if (typeof link.as === 'string') names.set(name, link.as);
    for (const one of Array.isArray(link.import) ? link.import : []) {
      const { name: own, as } = (typeof one === 'object' && one !== null ? one : {}) as Record<string, unknown>;
      if (typeof own === 'string' && typeof as === 'string' && own.startsWith('@'))
        names.set(own.slice(1), as.slice(1));
    }
    return [{ url, name, purpose, directives: names }];
  });
}
