import { type ASTNode, type DocumentNode, type FieldDefinitionNode, parse } from 'graphql';
import { hasFields } from '../../graphql/syntax/index.ts';
import { directiveArgument } from '../supergraph/index.ts';
import { type DirectiveArguments, directivesOf, hasDirective } from './directives.ts';
import { readFederationLink, schemaDirectives } from './federation-link.ts';
import { isUnknownVersion, SUPPORTED_VERSIONS } from './federation-versions.ts';

/** An unsupported feature of the federation specification that a subgraph uses. */
export interface UnsupportedFeature {
  /** The code of the composition problem. */
  readonly code: string;
  readonly message: string;
  /** The line in the SDL, 1-based. */
  readonly line: number | undefined;
}

/** Features of a subgraph that would not compose, or would compose but have no effect. */
export function unsupportedIn(typeDefs: DocumentNode): readonly UnsupportedFeature[] {
  return [...unsupportedLinks(typeDefs), ...unsupportedFields(typeDefs)];
}

/** Links to unsupported specifications or versions. */
function unsupportedLinks(typeDefs: DocumentNode): readonly UnsupportedFeature[] {
  const { version } = readFederationLink(typeDefs);
  return schemaDirectives(typeDefs).flatMap((directive): UnsupportedFeature[] => {
    const url = directive.name.value === 'link' ? directiveArgument(directive, 'url') : undefined;
    const line = lineOfNode(directive);
    if (url?.startsWith('https://specs.apollo.dev/connect/')) {
      const message = `it links to "${url}", and connectors (@connect, @source) are not supported: subgraphs are GraphQL services`;
      return [{ code: 'UNSUPPORTED_FEATURE', message, line }];
    }
    if (!url?.includes('/federation/') || !isUnknownVersion(version)) return [];
    const message = `it links to version ${version} of the federation specification, and ${SUPPORTED_VERSIONS} are supported`;
    return [{ code: 'UNKNOWN_FEDERATION_LINK_VERSION', message, line }];
  });
}

function unsupportedFields(typeDefs: DocumentNode): readonly UnsupportedFeature[] {
  const { nameOf: names } = readFederationLink(typeDefs);
  const code = 'UNSUPPORTED_FEATURE';
  return checkedFieldsIn(typeDefs).flatMap(({ type, field, isInterfaceObject }) => [
    ...(field.arguments ?? []).flatMap((argument): UnsupportedFeature[] => {
      if (!hasDirective(argument, names('fromContext'))) return [];
      return [{ code, message: fromContext(type, field, argument.name.value), line: lineOfNode(argument) }];
    }),
    ...directivesOf(field, names('override')).flatMap(({ label }): UnsupportedFeature[] => {
      if (!isInterfaceObject || typeof label !== 'string') return [];
      const what = `the label "${label}" of @override on "${type}.${field.name.value}"`;
      const message = `${what} is not supported because the field belongs to an interface object: the whole field would be moved at once`;
      return [{ code, message, line: lineOfNode(field) }];
    }),
  ]);
}

/**
 * The unsupported features that a composed supergraph uses.
 * @param supergraph a supergraph whose directives have their usual names
 */
export function unsupportedInSupergraph(supergraph: DocumentNode): readonly string[] {
  return checkedFieldsIn(supergraph).flatMap(({ type, field }) =>
    directivesOf(field, 'join__field').flatMap(({ contextArguments }) =>
      Array.isArray(contextArguments)
        ? contextArguments.map((argument: DirectiveArguments) => fromContext(type, field, String(argument.name)))
        : [],
    ),
  );
}

/** The labels of progressive overrides in a subgraph's valid SDL. */
export function labelsIn(sdl: string): ReadonlySet<string> {
  // Parsing a large SDL takes long, and few have labels.
  if (!sdl.includes('label')) return new Set();
  const typeDefs = parse(sdl, { noLocation: true });
  const { nameOf: names } = readFederationLink(typeDefs);
  const labels = checkedFieldsIn(typeDefs).flatMap(({ field }) =>
    directivesOf(field, names('override')).flatMap(({ label }) => (typeof label === 'string' ? [label] : [])),
  );
  return new Set(labels);
}

function fromContext(type: string, { name }: FieldDefinitionNode, argument: string): string {
  return `"${type}.${name.value}(${argument}:)" is taken from a context, and @fromContext is not supported: no subgraph would be sent its value`;
}

interface CheckedField {
  readonly type: string;
  readonly field: FieldDefinitionNode;
  readonly isInterfaceObject: boolean;
}

function checkedFieldsIn(typeDefs: DocumentNode): readonly CheckedField[] {
  const { nameOf: names } = readFederationLink(typeDefs);
  const types = typeDefs.definitions.filter(hasFields);
  const objects = new Set(
    types.filter((type) => hasDirective(type, names('interfaceObject'))).map(({ name: { value } }) => value),
  );
  return types.flatMap(({ name: { value: type }, fields }) =>
    (fields ?? []).map((field) => ({ type, field, isInterfaceObject: objects.has(type) })),
  );
}

function lineOfNode({ loc }: ASTNode): number | undefined {
  return loc?.startToken.line;
}
