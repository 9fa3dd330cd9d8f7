import { type ConstDirectiveNode, valueFromASTUntyped } from 'graphql';

/** The arguments of a directive, by their names. */
export type DirectiveArguments = Readonly<Record<string, unknown>>;

/** The arguments of each directive of that name. */
export function directivesOf(
  node: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  name: string,
): readonly DirectiveArguments[] {
  return (node.directives ?? [])
    .filter((directive) => directive.name.value === name)
    .map(({ arguments: given = [] }) =>
      Object.fromEntries(given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)])),
    );
}
