import { type ConstDirectiveNode, Kind } from 'graphql';
import { nameNode } from '../../../syntax/index.ts';

/** The directives of a name, such as `join__field`. */
export function joinsOf(
  { directives = [] }: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  name: string,
): readonly ConstDirectiveNode[] {
  return directives.filter((one) => one.name.value === name);
}

/** `@join__field(graph: …)` */
export function joinOf(graph: string): ConstDirectiveNode {
  const value = { kind: Kind.ENUM, value: graph } as const;
  return {
    kind: Kind.DIRECTIVE,
    name: nameNode('join__field'),
    arguments: [{ kind: Kind.ARGUMENT, name: nameNode('graph'), value }],
  };
}

/** Whether a supergraph has interface objects, however it is spaced. */
export function hasInterfaceObjects(sdl: string): boolean {
  return /isInterfaceObject\s*:\s*true/.test(sdl);
}
