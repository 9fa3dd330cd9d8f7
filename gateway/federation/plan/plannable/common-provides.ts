import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type SelectionNode,
  visit,
} from 'graphql';
import { directiveArgument, parseFieldSet } from '../../../supergraph/index.ts';
import { innermostTypeName } from '../../../syntax/index.ts';

/**
 * A supergraph whose fields of one subgraph provide the same of a type (`@provides`). The planner (0.0.38) confuses what fields of
 * different types provide: it fetches `name` at `top` too where `Query.top` provides the price of a product and `Review.product`
 * its name, so that the subgraph returns null. What not all of them provide is fetched from the subgraphs that resolve it.
 */
export function withCommonProvides(sdl: string): string {
  if (sdl.split('provides: "').length < 3) return sdl;
  const supergraph = parse(sdl, { noLocation: true });
  const all = providesIn(supergraph);
  const changed = new Set<Provided>();
  for (let isStable = false; !isStable; ) {
    isStable = true;
    for (const one of all)
      for (const other of all) {
        const common = areConfused(one, other) ? commonSelections(one, other) : one.selections;
        if (common.length === one.selections.length) continue;
        one.selections = common;
        changed.add(one);
        isStable = false;
      }
  }
  if (changed.size === 0) return sdl;
  const provided = new Map([...changed].map(({ join, selections }) => [join, selections]));
  const replaced = visit(supergraph, {
    Directive: (join) => {
      const selections = provided.get(join as ConstDirectiveNode);
      return selections && withProvides(join as ConstDirectiveNode, selections);
    },
  });
  return print(replaced);
}

/** What a field of a subgraph provides. */
interface Provided {
  readonly join: ConstDirectiveNode;
  readonly graph: string | undefined;
  /** The type that has the field. */
  readonly parent: string;
  /** The type of the field. */
  readonly type: string;
  /** Printed, without those that are no longer provided. */
  selections: readonly string[];
  /** The type of the field, and those of fields below it. */
  readonly types: ReadonlySet<string>;
}

type FieldedType = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

function providesIn({ definitions }: DocumentNode): readonly Provided[] {
  const types = new Map<string, FieldedType>();
  for (const one of definitions)
    if (one.kind === Kind.OBJECT_TYPE_DEFINITION || one.kind === Kind.INTERFACE_TYPE_DEFINITION)
      types.set(one.name.value, one);
  return [...types.values()].flatMap(({ name: { value: parent }, fields = [] }) =>
    fields.flatMap((field) =>
      (field.directives ?? []).flatMap((join): Provided[] => {
        const text = join.name.value === 'join__field' ? directiveArgument(join, 'provides') : undefined;
        if (text === undefined) return [];
        const provided = parseFieldSet(text);
        const type = innermostTypeName(field.type);
        const graph = directiveArgument(join, 'graph');
        const selections = provided.map((one) => print(one));
        return [{ join, graph, parent, type, selections, types: typesWithFields(type, provided, types) }];
      }),
    ),
  );
}

/** The types that have the selected fields. */
function typesWithFields(
  type: string,
  selections: readonly SelectionNode[],
  types: ReadonlyMap<string, FieldedType>,
): ReadonlySet<string> {
  const found = new Set([type]);
  const fieldsOf = (name: string): readonly FieldDefinitionNode[] => types.get(name)?.fields ?? [];
  for (const selection of selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) continue;
    const field =
      selection.kind === Kind.FIELD && fieldsOf(type).find((one) => one.name.value === selection.name.value);
    const condition = selection.kind === Kind.INLINE_FRAGMENT ? selection.typeCondition?.name.value : undefined;
    const below = field ? innermostTypeName(field.type) : (condition ?? type);
    for (const one of typesWithFields(below, selection.selectionSet.selections, types)) found.add(one);
  }
  return found;
}

/** Whether the planner confuses what two fields provide. */
function areConfused(one: Provided, other: Provided): boolean {
  if (one.graph !== other.graph || one.parent === other.parent) return false;
  return [...one.types].some((type) => other.types.has(type));
}

function commonSelections(one: Provided, other: Provided): readonly string[] {
  return one.type === other.type ? one.selections.filter((selection) => other.selections.includes(selection)) : [];
}

function withProvides(join: ConstDirectiveNode, selections: readonly string[]): ConstDirectiveNode {
  const others = (join.arguments ?? []).filter(({ name }) => name.value !== 'provides');
  const given = (join.arguments ?? []).flatMap((one) =>
    one.name.value === 'provides' && selections.length > 0
      ? [{ ...one, value: { kind: Kind.STRING, value: selections.join(' ') } as const }]
      : [],
  );
  return { ...join, arguments: [...others, ...given] };
}
