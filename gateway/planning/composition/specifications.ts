import { type DirectiveNode, type DocumentNode, Kind, visit } from 'graphql';
import { directivesOf } from './directives.ts';
import { UnusableSupergraph } from './errors.ts';

/** A specification that a supergraph says it uses, in `@link` or `@core`. */
interface Specification {
  readonly url: string;
  /** As in `https://specs.apollo.dev/inaccessible/v0.2`. */
  readonly name: string;
  readonly purpose: string | undefined;
  /** What its directives are called in the supergraph, by their own names. */
  readonly directives: ReadonlyMap<string, string>;
}

/**
 * The supported specifications, by the names of their directives. Uses of `context` are rejected elsewhere, and `cacheTag`
 * is for caches of responses, which there are none of here.
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
/** A router that does not support a specification for one of these must not serve the supergraph. */
const PURPOSES: ReadonlySet<unknown> = new Set(['SECURITY', 'EXECUTION']);

/**
 * A supergraph in which the directives of the known specifications have their usual names. It may import them under
 * others; a reader of the usual names only would expose inaccessible elements and skip authorization.
 *
 * @returns the supergraph itself where they have them.
 * @throws UnusableSupergraph when it uses a specification for security or execution that is not known, or names none.
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
  // A directive with a usual name that was not imported is another specification's.
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

/** A `@link` or `@core` of a known specification without its other names, which are no longer used. */
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
