import {
  type ASTNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parse,
} from 'graphql';
import { hasFields } from '../syntax/index.ts';
import { type DirectiveArguments, directivesOf } from './directives.ts';

/** An unsupported feature of the federation specification, which would compose and have no effect. */
export interface UnsupportedFeature {
  readonly message: string;
  /** 1-based, in the SDL. */
  readonly line: number | undefined;
}

/** The unsupported features that a subgraph uses. */
export function unsupportedIn(typeDefs: DocumentNode): readonly UnsupportedFeature[] {
  const names = directiveNames(typeDefs);
  return checkedFieldsIn(typeDefs).flatMap(({ type, field, isInterfaceObject }) => [
    ...(field.arguments ?? []).flatMap((argument): UnsupportedFeature[] => {
      if (!hasDirective(argument, names('fromContext'))) return [];
      return [{ message: fromContext(type, field, argument.name.value), line: lineOfNode(argument) }];
    }),
    ...directivesOf(field, names('override')).flatMap(({ label }): UnsupportedFeature[] => {
      if (!isInterfaceObject || typeof label !== 'string') return [];
      const what = `the label "${label}" of @override on "${type}.${field.name.value}"`;
      const message = `${what} is not supported, since the field is one of an interface object: all of it would be moved at once`;
      return [{ message, line: lineOfNode(field) }];
    }),
  ]);
}

/**
 * The unsupported features that a composed supergraph uses.
 * @param supergraph its directives have their usual names
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

/** The labels of progressive overrides in a subgraph's SDL, which is valid. */
export function labelsIn(sdl: string): ReadonlySet<string> {
  // Parsing a large one takes long, and few have any.
  if (!sdl.includes('label')) return new Set();
  const typeDefs = parse(sdl, { noLocation: true });
  const names = directiveNames(typeDefs);
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
  const names = directiveNames(typeDefs);
  const types = typeDefs.definitions.filter(hasFields);
  const objects = new Set(
    types.filter((type) => hasDirective(type, names('interfaceObject'))).map(({ name: { value } }) => value),
  );
  return types.flatMap(({ name: { value: type }, fields }) =>
    (fields ?? []).map((field) => ({ type, field, isInterfaceObject: objects.has(type) })),
  );
}

/** What a directive of the federation specification is called in a subgraph, which may import it under another name. */
function directiveNames(typeDefs: DocumentNode): (name: string) => string {
  const links = typeDefs.definitions.flatMap((definition) =>
    definition.kind === Kind.SCHEMA_DEFINITION || definition.kind === Kind.SCHEMA_EXTENSION
      ? directivesOf(definition, 'link')
      : [],
  );
  const link = links.find(({ url }) => typeof url === 'string' && /\/federation\/v[\d.]+\/?$/.test(url));
  const imported = new Map<string, string>();
  for (const one of Array.isArray(link?.import) ? link.import : []) {
    const { name, as } = (typeof one === 'string' ? { name: one } : (one ?? {})) as DirectiveArguments;
    if (typeof name === 'string') imported.set(name, typeof as === 'string' ? as : name);
  }
  const prefix = typeof link?.as === 'string' ? link.as : 'federation';
  return (name) => imported.get(`@${name}`)?.slice(1) ?? `${prefix}__${name}`;
}

function hasDirective(
  node: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  directive: string,
): boolean {
  return directivesOf(node, directive).length > 0;
}

function lineOfNode({ loc }: ASTNode): number | undefined {
  return loc?.startToken.line;
}
