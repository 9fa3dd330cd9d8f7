import {
  type DirectiveNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import { typeText } from './nodes.ts';

/**
 * The text of an operation without fragments. The same as `stripIgnoredCharacters(print(operation))`, but in one pass.
 */
export function requestText(operation: OperationDefinitionNode): string {
  return new RequestTexts().operation(operation);
}

/** Writes requests. A node that occurs several times is written once. Block strings are written as ordinary strings. */
export class RequestTexts {
  readonly #known = new Map<SelectionNode, string>();

  operation({
    operation,
    name,
    variableDefinitions = [],
    directives = [],
    selectionSet,
  }: OperationDefinitionNode): string {
    let head = name ? name.value : '';
    if (variableDefinitions.length > 0) {
      head += '(';
      for (const { variable, type, defaultValue, directives: own } of variableDefinitions) {
        const byDefault = defaultValue ? `=${valueText(defaultValue)}` : '';
        head += `$${variable.name.value}:${typeText(type)}${byDefault}${directivesText(own)}`;
      }
      head += ')';
    }
    const selections = this.selections(selectionSet.selections);
    if (operation === 'query' && head === '' && directives.length === 0) return `{${selections}}`;
    return `${operation}${name ? ' ' : ''}${head}${directivesText(directives)}{${selections}}`;
  }

  /** The text between the braces. */
  selections(selections: readonly SelectionNode[]): string {
    let text = '';
    let isOpen = false;
    for (const selection of selections) {
      text += isOpen ? ` ${this.#selection(selection)}` : this.#selection(selection);
      isOpen = endsWithName(selection);
    }
    return text;
  }

  #selection(selection: SelectionNode): string {
    const known = this.#known.get(selection);
    if (known !== undefined) return known;
    const text = this.#write(selection);
    this.#known.set(selection, text);
    return text;
  }

  #write(selection: SelectionNode): string {
    const directives = directivesText(selection.directives);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return `...${selection.name.value}${directives}`;
    const below = selection.selectionSet ? `{${this.selections(selection.selectionSet.selections)}}` : '';
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const condition = selection.typeCondition ? `on ${selection.typeCondition.name.value}` : '';
      return `...${condition}${directives}${below}`;
    }
    const { alias, name, arguments: given } = selection;
    return `${alias ? `${alias.value}:` : ''}${name.value}${argumentsText(given)}${directives}${below}`;
  }
}

/** Whether a space is needed before the next selection. */
function endsWithName(selection: SelectionNode): boolean {
  if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) return false;
  const last = selection.directives?.at(-1);
  if (!last && selection.kind !== Kind.FIELD) return true;
  return ((last ?? (selection as FieldNode)).arguments ?? []).length === 0;
}

function argumentsText(given: DirectiveNode['arguments']): string {
  return given && given.length > 0 ? `(${membersText(given, valueText)})` : '';
}

export function directivesText(directives: readonly DirectiveNode[] | undefined): string {
  let text = '';
  for (const { name, arguments: given } of directives ?? []) text += `@${name.value}${argumentsText(given)}`;
  return text;
}

type Member = { readonly name: { readonly value: string }; readonly value: ValueNode };

/** Writes arguments or fields of an object. */
function membersText(members: readonly Member[], textOf: (value: ValueNode) => string): string {
  let text = '';
  let isOpen = false;
  for (const { name, value } of members) {
    text += `${isOpen ? ' ' : ''}${name.value}:${textOf(value)}`;
    isOpen = value.kind !== Kind.LIST && value.kind !== Kind.OBJECT;
  }
  return text;
}

/** @param textOf writes nested values */
export function valueText(value: ValueNode, textOf: (value: ValueNode) => string = valueText): string {
  switch (value.kind) {
    case Kind.VARIABLE:
      return `$${value.name.value}`;
    case Kind.STRING:
      return stringText(value.value);
    case Kind.BOOLEAN:
      return value.value ? 'true' : 'false';
    case Kind.NULL:
      return 'null';
    case Kind.LIST:
      return `[${itemsText(value.values, textOf)}]`;
    case Kind.OBJECT:
      return `{${membersText(value.fields, textOf)}}`;
    default:
      return value.value;
  }
}

function itemsText(values: readonly ValueNode[], textOf: (value: ValueNode) => string): string {
  let text = '';
  let isOpen = false;
  for (const value of values) {
    const isPunctuated = value.kind === Kind.LIST || value.kind === Kind.OBJECT;
    text += isOpen && !isPunctuated && value.kind !== Kind.VARIABLE ? ` ${textOf(value)}` : textOf(value);
    isOpen = !isPunctuated;
  }
  return text;
}

/** Characters that graphql-js escapes. */
const ESCAPED = /[\p{Cc}"\\]/gu;
const SHORT_ESCAPES = new Map([
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
]);

function stringText(value: string): string {
  const escaped = value.replace(ESCAPED, (one) => {
    const code = one.charCodeAt(0).toString(16).toUpperCase();
    return SHORT_ESCAPES.get(one) ?? `\\u${code.padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}
