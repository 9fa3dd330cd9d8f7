import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import type { Presets } from './preset.ts';
import { presetProblems } from './preset-values.ts';

/** Reports presets that do not fit the type of their input. */
export function presetTypeProblems(presets: Presets, schema: GraphQLSchema): readonly string[] {
  return [...presets].flatMap(([key, preset]) => {
    const type = inputType(key, schema);
    return type ? presetProblems(preset, type).map((problem) => `@preset of "${key}": ${problem}`) : [];
  });
}

/** Reports presets of an object's field that clients can evade by selecting the field through an interface. */
export function evadablePresetProblems(presets: Presets, schema: GraphQLSchema): readonly string[] {
  return [...evadableArguments(presets, schema), ...evadableInputObjects(presets, schema)];
}

/** Reports arguments that clients cannot set because all fields of their type are preset. */
function evadableInputObjects(presets: Presets, schema: GraphQLSchema): readonly string[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) || isInterfaceType(type));
  return types.flatMap((type) =>
    Object.values(type.getFields()).flatMap(({ name, args }) =>
      args
        .filter((argument) => isPresetOnly(getNamedType(argument.type), presets))
        .flatMap((argument) =>
          type
            .getInterfaces()
            .filter((one) => one.getFields()[name]?.args.every((other) => other.name !== argument.name))
            .map((one) => `${one.name}.${name}`)
            .map(
              (other) =>
                `"${type.name}.${name}.${argument.name}" is preset as a whole: "${other}" requires the same argument, otherwise the preset could be bypassed there`,
            ),
        ),
    ),
  );
}

function isPresetOnly(type: GraphQLNamedInputType, presets: Presets, within: readonly string[] = []): boolean {
  if (!isInputObjectType(type) || within.includes(type.name)) return false;
  return Object.values(type.getFields()).every(
    (field) =>
      presets.has(`${type.name}.${field.name}`) ||
      isPresetOnly(getNamedType(field.type), presets, [...within, type.name]),
  );
}

function evadableArguments(presets: Presets, schema: GraphQLSchema): readonly string[] {
  return [...presets].flatMap(([key, preset]) => {
    const [typeName = '', fieldName = '', argument] = key.split('.');
    const type = schema.getType(typeName);
    if (argument === undefined || !(isObjectType(type) || isInterfaceType(type))) return [];
    return type
      .getInterfaces()
      .filter((one) => Object.hasOwn(one.getFields(), fieldName))
      .map((one) => `${one.name}.${fieldName}.${argument}`)
      .filter((other) => JSON.stringify(presets.get(other)) !== JSON.stringify(preset))
      .map(
        (other) =>
          `@preset of "${key}": "${other}" requires the same preset, otherwise the preset could be bypassed there`,
      );
  });
}

function inputType(key: string, schema: GraphQLSchema): GraphQLInputType | undefined {
  const [typeName = '', fieldName = '', argumentName] = key.split('.');
  const type = schema.getType(typeName);
  if (isInputObjectType(type)) return type.getFields()[fieldName]?.type;
  if (!isObjectType(type) && !isInterfaceType(type)) return undefined;
  return type.getFields()[fieldName]?.args.find((argument) => argument.name === argumentName)?.type;
}
