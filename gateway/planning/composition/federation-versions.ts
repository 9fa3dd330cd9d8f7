import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  Kind,
  parse,
} from 'graphql';
import { readFederationLink } from './federation-link.ts';

/** The newest version of the federation specification that `@theguild/federation-composition` 0.27 implements. */
const COMPOSED_MINOR = 9;

/** The newest supported version. Since 2.9 only version 2.12 has added a directive, `@cacheTag`. */
const NEWEST_MINOR = 15;
const CACHE_TAG_MINOR = 12;
export const SUPPORTED_VERSIONS = `v2.0 to v2.${NEWEST_MINOR}`;

/** Whether a subgraph links to an unsupported version of the federation specification. */
export function isUnknownVersion(version: string | undefined): boolean {
  if (version === undefined) return false;
  const minor = minorOf(version);
  return minor === undefined ? version !== 'v1.0' : minor > NEWEST_MINOR;
}

/**
 * Changes a subgraph's link from a newer version of the federation specification to the newest version that the
 * composer supports. `@cacheTag`, which tells response caches of routers what to invalidate, becomes the subgraph's own
 * directive. The composer then checks it and omits it from the supergraph.
 *
 * @returns the given SDL if it links to no newer version
 */
export function withComposedVersion(typeDefs: DocumentNode): DocumentNode {
  const { version, nameOf } = readFederationLink(typeDefs);
  const minor = version === undefined ? undefined : minorOf(version);
  if (minor === undefined || minor <= COMPOSED_MINOR || minor > NEWEST_MINOR) return typeDefs;
  const hasCacheTag = minor >= CACHE_TAG_MINOR;
  const definitions = typeDefs.definitions.map((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? { ...definition, directives: (definition.directives ?? []).map((one) => composedLink(one, hasCacheTag)) }
      : definition,
  );
  const cacheTag = nameOf('cacheTag');
  const isDefined = definitions.some((one) => one.kind === Kind.DIRECTIVE_DEFINITION && one.name.value === cacheTag);
  if (!hasCacheTag || isDefined) return { ...typeDefs, definitions };
  return { ...typeDefs, definitions: [...definitions, cacheTagDefinition(cacheTag)] };
}

function minorOf(version: string): number | undefined {
  const minor = /^v2\.(\d+)$/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** Changes the version in a link to the federation specification. Other links stay the same. */
function composedLink(directive: ConstDirectiveNode, hasCacheTag: boolean): ConstDirectiveNode {
  if (directive.name.value !== 'link') return directive;
  const given = directive.arguments ?? [];
  const url = given.find(({ name }) => name.value === 'url')?.value;
  if (url?.kind !== Kind.STRING || !/\/federation\/v2\.\d+\/?$/.test(url.value)) return directive;
  const composed = (name: string, value: ConstValueNode): ConstValueNode => {
    if (name === 'url') return { ...url, value: url.value.replace(/v2\.\d+\/?$/, `v2.${COMPOSED_MINOR}`) };
    if (name !== 'import' || value.kind !== Kind.LIST || !hasCacheTag) return value;
    return { ...value, values: value.values.filter((one) => importedName(one) !== '@cacheTag') };
  };
  return { ...directive, arguments: given.map((one) => ({ ...one, value: composed(one.name.value, one.value) })) };
}

function importedName(value: ConstValueNode): string | undefined {
  if (value.kind === Kind.STRING) return value.value;
  const name =
    value.kind === Kind.OBJECT ? value.fields.find((field) => field.name.value === 'name')?.value : undefined;
  return name?.kind === Kind.STRING ? name.value : undefined;
}

function cacheTagDefinition(name: string): DirectiveDefinitionNode {
  const sdl = `directive @${name}(format: String!) repeatable on FIELD_DEFINITION | OBJECT`;
  return parse(sdl, { noLocation: true }).definitions[0] as DirectiveDefinitionNode;
}
