import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLInputType,
  getNamedType,
  type InputValueDefinitionNode,
  isListType,
  isNonNullType,
  Kind,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import type { Session } from '../session/index.ts';
import { sourceError } from './source-error.ts';

/** The value that an argument or input field always has for a role: one of its own, or a session variable's. */
export type Preset = { readonly value: unknown } | { readonly variable: string };

/** Presets by `Type.field.argument` for arguments and `Type.field` for input fields. */
export type Presets = ReadonlyMap<string, Preset>;

const DIRECTIVE = 'preset';

/**
 * Takes the `@preset` directives out of a role's SDL.
 *
 * @returns the SDL with the preset inputs and without, the presets, and what is wrong with them.
 */
export function takePresets(document: DocumentNode): {
  whole: DocumentNode;
  visible: DocumentNode;
  presets: Presets;
  problems: readonly string[];
} {
  const presets = new Map<string, Preset>();
  const problems: string[] = [];
  for (const [key, input] of document.definitions.flatMap(inputsOf)) {
    const directive = presetOf(input);
    const preset = directive && readPreset(directive);
    if (typeof preset === 'string') problems.push(`@preset of "${key}": ${preset}`);
    else if (preset) presets.set(key, preset);
  }
  const whole = visit(document, { Directive: (node) => (node.name.value === DIRECTIVE ? null : undefined) });
  const visible = visit(document, { InputValueDefinition: (node) => (presetOf(node) ? null : undefined) });
  return { whole, visible, presets, problems };
}

function inputsOf(definition: DefinitionNode): readonly (readonly [string, InputValueDefinitionNode])[] {
  if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
    const { name, fields = [] } = definition;
    return fields.map((field) => [`${name.value}.${field.name.value}`, field] as const);
  }
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
  const { name, fields = [] } = definition;
  return fields.flatMap((field) =>
    (field.arguments ?? []).map((item) => [`${name.value}.${field.name.value}.${item.name.value}`, item] as const),
  );
}

function presetOf(node: InputValueDefinitionNode): ConstDirectiveNode | undefined {
  return node.directives?.find((directive) => directive.name.value === DIRECTIVE);
}

function readPreset(directive: ConstDirectiveNode): Preset | string {
  const argument = (name: string): ConstValueNode | undefined =>
    directive.arguments?.find((candidate) => candidate.name.value === name)?.value;
  const value = argument('value');
  const isStatic = argument('static');
  if (!value) return 'expected an argument "value"';
  if (isStatic && isStatic.kind !== Kind.BOOLEAN) return '"static" must be true or false';
  const fixed = isStatic?.kind === Kind.BOOLEAN && isStatic.value;
  if (!fixed && value.kind === Kind.STRING && /^x-hasura-/i.test(value.value))
    return { variable: value.value.toLowerCase() };
  return { value: valueFromASTUntyped(value) };
}

/**
 * The value of a preset for a caller.
 *
 * @throws GraphQLError `not-found` when the session has no such variable, `unexpected` when it does not fit the type.
 */
export function presetValue(preset: Preset, type: GraphQLInputType, session: Session, service: string): unknown {
  if ('value' in preset) return preset.value;
  const text = session.variables[preset.variable];
  if (text === undefined) throw sourceError(service, 'not-found', `missing session variable: "${preset.variable}"`);
  const value = readAs(type, text);
  if (value === undefined)
    throw sourceError(
      service,
      'unexpected',
      `the session variable "${preset.variable}" does not fit the type ${String(type)}`,
    );
  return value;
}

/** A session variable's text as a value of a type: JSON or a PostgreSQL array for lists, undefined if it does not fit. */
function readAs(type: GraphQLInputType, text: string): unknown {
  const inner = isNonNullType(type) ? type.ofType : type;
  if (isListType(inner)) return readList(text)?.map((item) => readAs(inner.ofType, item));
  switch (getNamedType(inner).name) {
    case 'Int':
      return /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
    case 'Float':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    default:
      return text;
  }
}

function readList(text: string): readonly string[] | undefined {
  const json = text.startsWith('{') && text.endsWith('}') ? `[${text.slice(1, -1)}]` : text;
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    // A PostgreSQL array may leave its items without quotes.
    return text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).split(',') : undefined;
  }
}
