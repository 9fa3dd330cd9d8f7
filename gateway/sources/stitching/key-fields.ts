import { GraphQLError, Kind, parse, print, type SelectionNode, type SelectionSetNode, visit } from 'graphql';
import { isJsonObject } from '../../../platform/index.ts';

/** A stitching directive cannot be used. The message is for an operator and does not name the directive. */
export class DirectiveProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DirectiveProblem';
  }
}

/** Fields of an object by name, with the fields of nested objects. Undefined selects the whole value of a field. */
export type KeyFields = ReadonlyMap<string, KeyFields | undefined>;

/**
 * Parses a text such as `{ id organization { id } }` into selections. Objects are identified by field names, so a key
 * has no aliases, variables, directives or named fragments.
 *
 * @throws DirectiveProblem
 */
export function parseKey(text: string): readonly SelectionNode[] {
  const { selections } = parseSelectionSet(text);
  for (const selection of selections)
    visit(selection, {
      Field: ({ alias }) => refuse(alias !== undefined && `the alias "${alias.value}"`),
      FragmentSpread: ({ name }) => refuse(`the fragment "${name.value}"`),
      Directive: ({ name }) => refuse(`the directive "@${name.value}"`),
      Variable: ({ name }) => refuse(`the variable "$${name.value}"`),
    });
  return selections;
}

function refuse(found: string | false): undefined {
  if (found) throw new DirectiveProblem(`the selection set contains ${found}: it must name fields only`);
}

function parseSelectionSet(text: string): SelectionSetNode {
  try {
    const { definitions } = parse(text, { noLocation: true });
    const [definition] = definitions;
    if (definitions.length === 1 && definition?.kind === Kind.OPERATION_DEFINITION) return definition.selectionSet;
  } catch (error) {
    if (error instanceof GraphQLError) throw new DirectiveProblem(`${JSON.stringify(text)}: ${error.message}`);
    throw error;
  }
  throw new DirectiveProblem(`${JSON.stringify(text)} is not a selection set`);
}

/** Joins the distinct selections of several keys as text without outer braces. */
export function keyText(selections: readonly SelectionNode[]): string {
  return [...new Set(selections.map(selectionText))].join(' ');
}

/** Prints a selection on one line. A block string becomes a string with escapes. */
function selectionText(selection: SelectionNode): string {
  const inline = visit(selection, { StringValue: (node) => ({ ...node, block: false }) });
  return print(inline).replace(/\n\s*/g, ' ');
}

/** The fields that selections name. Inline fragments count as part of the surrounding object. */
export function fieldsOfKey(selections: readonly SelectionNode[]): KeyFields {
  return mergedFields(
    selections.map((selection): KeyFields => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return new Map();
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOfKey(selection.selectionSet.selections);
      const { name, selectionSet } = selection;
      return new Map([[name.value, selectionSet && fieldsOfKey(selectionSet.selections)]]);
    }),
  );
}

/** Merges sets of fields. If one set has a field as a whole, the result has it as a whole. */
export function mergedFields(all: readonly KeyFields[]): KeyFields {
  const merged = new Map<string, KeyFields | undefined>();
  for (const fields of all)
    for (const [name, below] of fields) {
      const known = merged.get(name);
      if (!merged.has(name)) merged.set(name, below);
      else merged.set(name, known && below && mergedFields([known, below]));
    }
  return merged;
}

/** Whether a path leads to one of the fields or into the value of one. A scalar may have such a value. */
export function hasPath(fields: KeyFields, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (!fields.has(name)) return false;
  const below = fields.get(name);
  return !below || hasPath(below, rest);
}

/** Keeps only these fields of an object, or of each item of a list. Unknown fields are left out. */
export function pickFields(value: unknown, fields: KeyFields): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(item, fields));
  if (!isJsonObject(value)) return value;
  const known = [...fields].filter(([name]) => ownValue(value, name) !== undefined);
  return Object.fromEntries(
    known.map(([name, below]) => [name, below ? pickFields(ownValue(value, name), below) : ownValue(value, name)]),
  );
}

/** The value at a path. Null if an object on the path is null. */
export function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || value === null) return value;
  return isJsonObject(value) ? valueAt(ownValue(value, name), rest) : undefined;
}

function ownValue(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
