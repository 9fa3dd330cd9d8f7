import type { PlanNode, RequiresSelection } from '@graphql-hive/router-query-planner';
import {
  type ArgumentNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  Kind,
  parse,
  print,
  type SelectionNode,
  stripIgnoredCharacters,
  visit,
} from 'graphql';
import { directiveArgument, fieldText, parseFieldSet } from '../../../supergraph/index.ts';
import { hasFields, innermostTypeName, nameNode, type TypeWithFields } from '../../../syntax/index.ts';

/** A supergraph whose fields require no field with arguments, and the way back. */
export interface ArgumentFreeSupergraph {
  readonly sdl: string;
  /** A plan of it, with the fields and arguments that the subgraphs have. */
  restore(plan: PlanNode): PlanNode;
}

/**
 * Makes a field of its own of each field that is required with arguments: `size(unit: "mm")` becomes `_r0_size`. The planner (0.0.38)
 * confuses fields that are required with different arguments: it sends one of them for all, or ends the process where they are
 * below another field. A fetch then has them under these names, `_r0_size: size(unit: "mm")`.
 */
export function withNamedArguments(sdl: string): ArgumentFreeSupergraph {
  const unchanged: ArgumentFreeSupergraph = { sdl, restore: (plan) => plan };
  if (!ARGUMENTS.test(sdl)) return unchanged;
  const supergraph = parse(sdl, { noLocation: true });
  const naming = new ArgumentNaming(supergraph);
  const changed = visit(supergraph, {
    enter: (node) => (hasFields(node) ? naming.renamed(node) : undefined),
  });
  const { calls } = naming;
  if (calls.size === 0) return unchanged;
  return { sdl: print(withCopies(changed, naming)), restore: (plan) => restored(plan, calls) };
}

/** The name of the field that such a field was made of. */
export function fieldNameOf(name: string): string {
  return NAMED.exec(name)?.[1] ?? name;
}

/** What looks like a requirement with arguments. */
const ARGUMENTS = /requires\s*:\s*"+[^"]*\(/;

/** Aliases of clients never begin with an underscore: see `client-operation.ts`. */
const NAMED = /^_r\d+_(\w+)$/;

interface FieldCall {
  readonly name: string;
  readonly arguments: readonly ArgumentNode[];
}

class ArgumentNaming {
  /** Fields with their arguments, by the names that they get. */
  readonly calls = new Map<string, FieldCall>();
  /** The fields to be made of those of a type: their names by those that they get. */
  readonly copies = new Map<string, Map<string, string>>();
  readonly #names = new Map<string, string>();
  readonly #types = new Map<string, TypeWithFields>();

  constructor({ definitions }: DocumentNode) {
    for (const definition of definitions) if (hasFields(definition)) this.#types.set(definition.name.value, definition);
  }

  /** A type whose fields require the fields that are made. */
  renamed(type: TypeWithFields): TypeWithFields | undefined {
    let isChanged = false;
    const fields = type.fields?.map((field): FieldDefinitionNode => {
      const directives = field.directives?.map((join) => this.#renamedJoin(join, type.name.value));
      if (!directives?.some((join, at) => join !== field.directives?.[at])) return field;
      isChanged = true;
      return { ...field, directives };
    });
    return isChanged ? ({ ...type, fields } as TypeWithFields) : undefined;
  }

  #renamedJoin(join: ConstDirectiveNode, type: string): ConstDirectiveNode {
    const requires = join.name.value === 'join__field' ? directiveArgument(join, 'requires') : undefined;
    if (!requires?.includes('(')) return join;
    const text = this.#selections(parseFieldSet(requires), type)
      .map((one) => print(one))
      .join(' ');
    const value = { kind: Kind.STRING, value: text } as const;
    return {
      ...join,
      arguments: (join.arguments ?? []).map((one) => (one.name.value === 'requires' ? { ...one, value } : one)),
    };
  }

  #selections(selections: readonly SelectionNode[], type: string): readonly SelectionNode[] {
    return selections.map((selection): SelectionNode => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const below = this.#selections(selection.selectionSet.selections, selection.typeCondition?.name.value ?? type);
        return { ...selection, selectionSet: { kind: Kind.SELECTION_SET, selections: below } };
      }
      const { arguments: given = [], selectionSet, ...plain } = selection;
      const field = this.#fieldOf(type, selection.name.value);
      const name = given.length > 0 && field ? this.#nameOf(selection, type) : selection.name.value;
      const below = field && selectionSet && this.#selections(selectionSet.selections, innermostTypeName(field.type));
      return {
        ...plain,
        name: nameNode(name),
        ...(name === selection.name.value && { arguments: given }),
        ...(selectionSet && { selectionSet: below ? { kind: Kind.SELECTION_SET, selections: below } : selectionSet }),
      };
    });
  }

  #nameOf(field: FieldNode, type: string): string {
    const text = fieldText(field);
    const own = field.name.value;
    const name = this.#names.get(text) ?? `_r${this.#names.size}_${own}`;
    this.#names.set(text, name);
    this.calls.set(name, { name: own, arguments: field.arguments ?? [] });
    for (const one of this.#types.values()) {
      const isOne = one.name.value === type || one.interfaces?.some((parent) => parent.name.value === type);
      if (isOne) this.copies.set(one.name.value, (this.copies.get(one.name.value) ?? new Map()).set(name, own));
    }
    return name;
  }

  #fieldOf(type: string, name: string): FieldDefinitionNode | undefined {
    return this.#types.get(type)?.fields?.find((field) => field.name.value === name);
  }
}

function withCopies(supergraph: DocumentNode, { copies }: ArgumentNaming): DocumentNode {
  const definitions = supergraph.definitions.map((definition) => {
    const made = hasFields(definition) ? copies.get(definition.name.value) : undefined;
    if (!made || !hasFields(definition)) return definition;
    const fields = definition.fields ?? [];
    const added = [...made].flatMap(([name, own]) =>
      fields.flatMap((field) => (field.name.value === own ? [{ ...field, name: nameNode(name), arguments: [] }] : [])),
    );
    return { ...definition, fields: [...fields, ...added] };
  });
  return { ...supergraph, definitions };
}

function restored(plan: PlanNode, calls: ReadonlyMap<string, FieldCall>): PlanNode {
  return JSON.parse(JSON.stringify(plan), (key, value) => {
    if (key === 'operation' && typeof value === 'string') return restoredOperation(value, calls);
    return isRequiredField(value) ? restoredRequirement(value, calls) : value;
  });
}

function restoredOperation(text: string, calls: ReadonlyMap<string, FieldCall>): string {
  if (!text.includes('_r')) return text;
  let isChanged = false;
  const changed = visit(parse(text, { noLocation: true }), {
    Field: (field) => {
      const call = calls.get(field.name.value);
      if (!call) return undefined;
      isChanged = true;
      return { ...field, alias: field.alias ?? field.name, name: nameNode(call.name), arguments: call.arguments };
    },
  });
  return isChanged ? stripIgnoredCharacters(print(changed)) : text;
}

type RequiredField = Extract<RequiresSelection, { kind: 'Field' }>;

function isRequiredField(value: unknown): value is RequiredField {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Field';
}

/** It is read under the name that was made, and sent under the field's own. */
function restoredRequirement(field: RequiredField, calls: ReadonlyMap<string, FieldCall>): RequiredField {
  const call = calls.get(field.alias ?? field.name);
  return call ? { ...field, alias: call.name } : field;
}
