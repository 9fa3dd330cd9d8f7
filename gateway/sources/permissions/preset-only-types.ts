import { type DefinitionNode, type InputValueDefinitionNode, Kind } from 'graphql';
import { innermostTypeName } from '../../graphql/syntax/index.ts';
import type { Presets } from './preset.ts';

/** An input of a permission with its key among the presets. */
export type KeyedInput = readonly [key: string, input: InputValueDefinitionNode];

/**
 * Finds input types of which clients can set no field: each field is preset or is itself of such a type. As in Hasura,
 * these types are hidden, and their arguments are sent with the presets.
 */
export function presetOnlyTypes(
  definitions: readonly DefinitionNode[],
  inputsOf: (definition: DefinitionNode) => readonly KeyedInput[],
  presets: Presets,
): ReadonlySet<string> {
  const fields = new Map<string, KeyedInput[]>();
  for (const definition of definitions) {
    const isInput =
      definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION || definition.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION;
    if (!isInput) continue;
    const name = definition.name.value;
    fields.set(name, [...(fields.get(name) ?? []), ...inputsOf(definition)]);
  }
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [name, inputs] of fields)
      if (inputs.length > 0 && inputs.every(([key, input]) => presets.has(key) || isOneOfTypes(input, found)))
        found.add(name);
  }
  return found;
}

/**
 * Whether an input takes a single object of these types. A list would let the client choose how many objects are sent.
 */
export function isOneOfTypes({ type }: InputValueDefinitionNode, types: ReadonlySet<string>): boolean {
  const inner = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  return inner.kind === Kind.NAMED_TYPE && types.has(inner.name.value);
}

/** Reports lists of such types. In an empty list no preset applies, so the list must be preset or left out. */
export function listProblems(
  inputs: readonly KeyedInput[],
  types: ReadonlySet<string>,
  presets: Presets,
): readonly string[] {
  return inputs
    .filter(
      ([key, input]) => !presets.has(key) && !isOneOfTypes(input, types) && types.has(innermostTypeName(input.type)),
    )
    .map(
      ([key, { type }]) =>
        `"${key}" is a list of "${innermostTypeName(type)}", whose fields are all preset: preset the list itself, or omit it`,
    );
}
