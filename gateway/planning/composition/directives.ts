import { type ConstDirectiveNode, valueFromASTUntyped } from 'graphql';

/** The arguments of a directive, by name. */
export type DirectiveArguments = Readonly<Record<string, unknown>>;

export interface NodeWithDirectives {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

export function hasDirective({ directives = [] }: NodeWithDirectives, name: string): boolean {
  return directives.some((directive) => directive.name.value === name);
}

/** The arguments of each directive with this name. */
export function directivesOf(node: NodeWithDirectives, name: string): readonly DirectiveArguments[] {
  return (node.directives ?? [])
    .filter((directive) => directive.name.value === name)
    .map(({ arguments: given = [] }) =>
      Object.fromEntries(given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)])),
    );
}
