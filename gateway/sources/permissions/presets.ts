import {
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  type InputValueDefinitionNode,
  Kind,
  type NameNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import type { Preset, Presets } from './preset.ts';
import { isOneOfTypes, listProblems, presetOnlyTypes } from './preset-only-types.ts';

const DIRECTIVE = 'preset';

/**
 * Extracts the `@preset` directives from a role's SDL.
 *
 * @returns the SDL with and without the preset inputs, the presets, and their problems.
 */
export function takePresets(document: DocumentNode): {
  whole: DocumentNode;
  visible: DocumentNode;
  presets: Presets;
  problems: readonly string[];
} {
  const presets = new Map<string, Preset>();
  const problems: string[] = [];
  const taken = new Set<ConstDirectiveNode>();
  const inputs = document.definitions.flatMap(inputDefinitions);
  for (const [key, input] of inputs) {
    const directive = presetOf(input);
    if (!directive) continue;
    taken.add(directive);
    const preset = readPreset(directive);
    if (typeof preset === 'string') problems.push(`@preset of "${key}": ${preset}`);
    else presets.set(key, preset);
  }
  const whole = visit(document, {
    Directive: (node) => {
      if (node.name.value !== DIRECTIVE) return undefined;
      if (!taken.has(node as ConstDirectiveNode))
        problems.push('@preset is allowed only once, on an argument or on a field of an input object');
      return null;
    },
  });
  const hidden = presetOnlyTypes(document.definitions, inputDefinitions, presets);
  problems.push(...listProblems(inputs, hidden, presets));
  const isHidden = ({ name }: { readonly name: NameNode }) => (hidden.has(name.value) ? null : undefined);
  const visible = visit(document, {
    InputObjectTypeDefinition: isHidden,
    InputObjectTypeExtension: isHidden,
    InputValueDefinition: (node) => (presetOf(node) || isOneOfTypes(node, hidden) ? null : undefined),
    Directive: (node) => (node.name.value === DIRECTIVE ? null : undefined),
  });
  return { whole, visible, presets, problems };
}

function inputDefinitions(definition: DefinitionNode): readonly (readonly [string, InputValueDefinitionNode])[] {
  switch (definition.kind) {
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_EXTENSION: {
      const { name, fields = [] } = definition;
      return fields.map((field) => [`${name.value}.${field.name.value}`, field] as const);
    }
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.OBJECT_TYPE_EXTENSION:
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_EXTENSION: {
      const { name, fields = [] } = definition;
      return fields.flatMap((field) =>
        (field.arguments ?? []).map((item) => [`${name.value}.${field.name.value}.${item.name.value}`, item] as const),
      );
    }
    default:
      return [];
  }
}

function presetOf(node: InputValueDefinitionNode): ConstDirectiveNode | undefined {
  return node.directives?.find((directive) => directive.name.value === DIRECTIVE);
}

function readPreset(directive: ConstDirectiveNode): Preset | string {
  const given = new Map((directive.arguments ?? []).map((argument) => [argument.name.value, argument]));
  for (const name of given.keys())
    if (name !== 'value' && name !== 'static') return `unknown argument "${name}": expected "value" and "static"`;
  const value = given.get('value')?.value;
  const isStatic = booleanArgument(given.get('static'));
  if (!value) return 'expected an argument "value"';
  if (isStatic === undefined) return '"static" must be true or false';
  return isStatic ? { kind: 'fixed', value: valueFromASTUntyped(value) } : presetFrom(value);
}

function booleanArgument(argument: ConstArgumentNode | undefined): boolean | undefined {
  if (!argument) return false;
  return argument.value.kind === Kind.BOOLEAN ? argument.value.value : undefined;
}

/** A string that names a session variable stands for its value, also within lists and objects. */
function presetFrom(node: ConstValueNode): Preset {
  if (node.kind === Kind.STRING && /^x-hasura-/i.test(node.value))
    return { kind: 'session', variable: node.value.toLowerCase() };
  if (node.kind === Kind.LIST) {
    const items = node.values.map(presetFrom);
    if (items.some((item) => item.kind !== 'fixed')) return { kind: 'list', items };
  }
  if (node.kind === Kind.OBJECT) {
    const fields = node.fields.map((field) => [field.name.value, presetFrom(field.value)] as const);
    if (fields.some(([, preset]) => preset.kind !== 'fixed'))
      return { kind: 'object', fields: Object.fromEntries(fields) };
  }
  return { kind: 'fixed', value: valueFromASTUntyped(node) };
}
