import { type ConstDirectiveNode, type DocumentNode, Kind } from 'graphql';
import { type DirectiveArguments, directivesOf } from './directives.ts';

/** A subgraph's link to the Apollo Federation 2 specification. */
export interface FederationLink {
  /** The version, such as `v2.9`. Undefined for a subgraph of Federation 1, which has no link. */
  readonly version: string | undefined;
  /** The name of a federation directive in the subgraph, which may import it under another name. */
  readonly nameOf: (directive: string) => string;
}

/** The directives of Federation 1. In such a subgraph, all other directives are its own. */
const FEDERATION_1: ReadonlySet<string> = new Set(['key', 'requires', 'provides', 'external', 'extends', 'override']);

const FEDERATION = /^https:\/\/specs\.apollo\.dev\/federation\/(v[^/]+)\/?$/;

export function readFederationLink(typeDefs: DocumentNode): FederationLink {
  const links = directivesOf({ directives: schemaDirectives(typeDefs) }, 'link');
  const link = links.find(({ url }) => typeof url === 'string' && FEDERATION.test(url));
  if (!link) {
    const nameOf = (directive: string) => (FEDERATION_1.has(directive) ? directive : `federation__${directive}`);
    return { version: undefined, nameOf };
  }
  const imported = new Map<string, string>();
  for (const one of Array.isArray(link.import) ? link.import : []) {
    const { name, as } = (typeof one === 'string' ? { name: one } : (one ?? {})) as DirectiveArguments;
    if (typeof name === 'string') imported.set(name, typeof as === 'string' ? as : name);
  }
  const prefix = typeof link.as === 'string' ? link.as : 'federation';
  return {
    version: FEDERATION.exec(String(link.url))?.[1],
    nameOf: (directive) => imported.get(`@${directive}`)?.slice(1) ?? `${prefix}__${directive}`,
  };
}

/** The directives of a document's schema definition and schema extensions. */
export function schemaDirectives({ definitions }: DocumentNode): readonly ConstDirectiveNode[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? (definition.directives ?? [])
      : [],
  );
}
