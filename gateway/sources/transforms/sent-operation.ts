import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Fragments, fragmentNode, fragmentsOf, nameNode } from '../../graphql/syntax/index.ts';
import type { OperationDocument } from '../compiled-operation.ts';
import { PresetArguments, type SentVariables } from '../permissions/index.ts';
import type { ResponseShape } from './response-shape.ts';
import { type RoleView, sourceTypeName } from './role-view.ts';

/** An operation that is sent to its source. Only its namespace is not unwrapped yet. */
export interface SentOperation extends OperationDocument {
  /** Undefined if the client's variables are sent unchanged. */
  readonly variables: SentVariables | undefined;
  /** The variables in which files may be sent. Undefined if all may contain files. */
  readonly fileVariables: ReadonlySet<string> | undefined;
}

/**
 * Translates an operation to the source's names, with the role's presets and the type names that reading the response
 * needs.
 *
 * @param whole an operation that is valid for the role's schema.
 */
export function sentOperation(
  view: RoleView,
  { document, operation }: OperationDocument,
  shape: ResponseShape | undefined,
): SentOperation {
  const { customized } = view;
  const info = new TypeInfo(customized.schema);
  const declared = (operation.variableDefinitions ?? []).map((definition) => inSourceTypes(view, definition));
  const presets = view.presets && new PresetArguments(view.presets, declared);
  const conditions = view.narrowed && new NarrowedConditions(view, fragmentsOf(document));
  const translated: DocumentNode = visit(
    document,
    visitWithTypeInfo(info, {
      NamedType: { leave: (node) => renamedType(view, node) },
      Field: {
        leave: (node): FieldNode | undefined => {
          const parent = info.getParentType();
          const { value } = node.name;
          const old = parent ? customized.fields.get(`${parent.name}.${value}`) : undefined;
          const renamed = old === undefined ? node : { ...node, alias: node.alias ?? node.name, name: nameNode(old) };
          const preset = presets && parent && presetField(view, parent, old ?? value);
          return presets && preset
            ? { ...renamed, arguments: presets.argumentsOf(renamed, preset.field, preset.type) }
            : renamed;
        },
      },
      SelectionSet: {
        enter: (node) => (shape?.addedTo.has(node) ? withTypeKey(node, shape.typeKey) : undefined),
        leave: (node) => {
          const parent = info.getParentType();
          return conditions && parent ? conditions.narrowed(node, parent) : undefined;
        },
      },
    }),
  );
  const definitions = [...translated.definitions, ...(conditions?.made ?? [])];
  const found = definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (!found) throw new TypeError('a document without an operation');
  if (!presets)
    return {
      document: { ...translated, definitions },
      operation: found,
      variables: undefined,
      fileVariables: undefined,
    };
  const used = new Set<string>();
  visit(
    { ...translated, definitions },
    {
      VariableDefinition: () => false,
      Variable: ({ name }) => void used.add(name.value),
    },
  );
  // Services reject operations with unused variables.
  const sent: OperationDefinitionNode = { ...found, variableDefinitions: presets.definitions(used) };
  return {
    document: { ...translated, definitions: definitions.map((one) => (one === found ? sent : one)) },
    operation: sent,
    variables: presets.variables(used),
    fileVariables: presets.ownNames,
  };
}

function renamedType(view: RoleView, node: NamedTypeNode): NamedTypeNode | undefined {
  const old = view.customized.types.get(node.name.value);
  return old === undefined ? undefined : { ...node, name: nameNode(old) };
}

function inSourceTypes(view: RoleView, definition: VariableDefinitionNode): VariableDefinitionNode {
  return visit(definition, { NamedType: (node) => renamedType(view, node) });
}

function withTypeKey(set: SelectionSetNode, key: string): SelectionSetNode {
  const field: FieldNode = { kind: Kind.FIELD, name: nameNode('__typename'), alias: nameNode(key) };
  return { ...set, selections: [...set.selections, field] };
}

/**
 * The field with its preset inputs, and the field's type, as the permission defines them. Undefined if the source does
 * not have the field, such as a namespace.
 */
function presetField(
  view: RoleView,
  parent: GraphQLCompositeType,
  name: string,
): { readonly type: string; readonly field: GraphQLField<unknown, unknown> } | undefined {
  const { customized, upstream, presets } = view;
  if (name.startsWith('__')) return undefined;
  const isWrapper =
    customized.namespace !== undefined && ROOTS.some((root) => customized.schema.getRootType(root) === parent);
  if (isWrapper) return undefined;
  const own = sourceTypeName(view, parent.name);
  const root = ROOTS.find((operation) => upstream.getRootType(operation)?.name === own);
  // The permission may use other names for root types than the source.
  const type = (root && presets?.schema.getRootType(root)) ?? presets?.schema.getType(own);
  const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  if (!type || !field) throw new TypeError('a field that the permission does not have');
  return { type: type.name, field };
}

const ROOTS = Object.values(OperationTypeNode);

/**
 * Replaces type conditions on unions and interfaces of which the role sees a part. In the source these match more types
 * than the role knows, so each condition is replaced with the types that the role sees.
 */
class NarrowedConditions {
  /** Fragments with the content of inline fragments that would be repeated otherwise. */
  readonly made: FragmentDefinitionNode[] = [];
  readonly #view: RoleView;
  readonly #fragments: Fragments;

  constructor(view: RoleView, fragments: Fragments) {
    this.#view = view;
    this.#fragments = fragments;
  }

  /** @param set selections whose type conditions are in the source's names. */
  narrowed(set: SelectionSetNode, parent: GraphQLCompositeType): SelectionSetNode | undefined {
    let isChanged = false;
    const selections = set.selections.flatMap((selection): readonly SelectionNode[] => {
      if (selection.kind === Kind.FIELD) return [selection];
      const condition = this.#conditionOf(selection);
      const types = condition === undefined ? undefined : this.#typesInstead(condition, parent);
      if (condition === undefined || !types) return [selection];
      isChanged = true;
      const { directives = [] } = selection;
      const name =
        selection.kind === Kind.FRAGMENT_SPREAD ? selection.name : this.#moved(selection.selectionSet, condition);
      return types.map((type) => ({
        ...fragmentNode(type, [{ kind: Kind.FRAGMENT_SPREAD, name }]),
        directives,
      }));
    });
    return isChanged ? { ...set, selections } : undefined;
  }

  #conditionOf(selection: Exclude<SelectionNode, FieldNode>): string | undefined {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.typeCondition?.name.value;
    const condition = this.#fragments.get(selection.name.value)?.typeCondition.name.value;
    return condition === undefined ? undefined : sourceTypeName(this.#view, condition);
  }

  /** @returns undefined if the condition matches only types that the role sees there. */
  #typesInstead(condition: string, parent: GraphQLCompositeType): readonly string[] | undefined {
    const { customized, narrowed, upstream } = this.#view;
    const visible = narrowed?.objects.get(condition);
    const whole = upstream.getType(condition);
    if (!visible || !isAbstractType(whole)) return undefined;
    const here = (isAbstractType(parent) ? customized.schema.getPossibleTypes(parent) : [parent]).map(({ name }) =>
      sourceTypeName(this.#view, name),
    );
    const all = new Set(upstream.getPossibleTypes(whole).map(({ name }) => name));
    if (here.every((name) => visible.has(name) || !all.has(name))) return undefined;
    return here.filter((name) => visible.has(name));
  }

  #moved(selectionSet: SelectionSetNode, condition: string) {
    let name = `portico_fragment_${this.made.length}`;
    while (this.#fragments.has(name)) name += '_';
    const typeCondition = { kind: Kind.NAMED_TYPE, name: nameNode(condition) } as const;
    this.made.push({ kind: Kind.FRAGMENT_DEFINITION, name: nameNode(name), typeCondition, selectionSet });
    return nameNode(name);
  }
}
