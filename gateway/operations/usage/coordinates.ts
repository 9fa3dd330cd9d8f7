import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { copiedText } from './copied-text.ts';

/**
 * Returns the sorted schema coordinates that an operation uses: `Type.field`, `Type.field(argument:)`, `Input.field`,
 * `Enum.VALUE`, `@directive`, and `Type` for each type on the way, except for built-in scalars.
 *
 * A document does not show every use. `Enum.*` stands for a value in the response or in a variable, which may be any of the
 * enum's. `Input.*` stands for a variable, which may use any field of that type and of the input types below it.
 *
 * @param document one operation with the fragments that it uses, valid for the schema. Fields of introspection types and
 * `__typename` are left out.
 */
export function usedCoordinates(document: DocumentNode, schema: GraphQLSchema): readonly string[] {
  const used = new Set<string>();
  const types = new TypeInfo(schema);

  const useType = (type: GraphQLNamedType | null | undefined): void => {
    if (type && !isSpecifiedScalarType(type)) used.add(type.name);
  };
  const useOpen = (input: GraphQLInputType | null | undefined): void => {
    const type = input && getNamedType(input);
    useType(type);
    if (isEnumType(type) || isInputObjectType(type)) used.add(`${type.name}.*`);
  };

  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: () => useOpen(types.getInputType()),
      InlineFragment: ({ typeCondition }) => void (typeCondition && used.add(typeCondition.name.value)),
      FragmentDefinition: ({ typeCondition }) => void used.add(typeCondition.name.value),
      Field() {
        const parent = types.getParentType();
        const field = types.getFieldDef();
        if (!parent || !field || field.name === '__typename') return undefined;
        used.add(`${parent.name}.${field.name}`);
        // Introspection of an element is not a use of it.
        if (field.name.startsWith('__')) return false;
        const type = getNamedType(field.type);
        useType(type);
        if (isEnumType(type)) used.add(`${type.name}.*`);
        return undefined;
      },
      Directive() {
        const directive = types.getDirective();
        if (directive && !isSpecifiedDirective(directive)) used.add(`@${directive.name}`);
      },
      Argument({ name }) {
        const directive = types.getDirective();
        if (directive) {
          if (!isSpecifiedDirective(directive)) used.add(`@${directive.name}(${name.value}:)`);
        } else used.add(`${types.getParentType()?.name}.${types.getFieldDef()?.name}(${name.value}:)`);
        const type = types.getInputType();
        useType(type && getNamedType(type));
      },
      ObjectField({ name }) {
        const input = types.getParentInputType();
        const parent = input && getNamedType(input);
        // The members of an object for a custom scalar are values.
        if (!isInputObjectType(parent)) return false;
        used.add(parent.name).add(`${parent.name}.${name.value}`);
        const type = types.getInputType();
        useType(type && getNamedType(type));
        return undefined;
      },
      EnumValue({ value }) {
        const input = types.getInputType();
        const type = input && getNamedType(input);
        if (isEnumType(type)) used.add(type.name).add(`${type.name}.${value}`);
      },
    }),
  );
  return [...used].sort().map(copiedText);
}

/** Returns the names of the input types that a value of an input type may contain, starting with its own. */
export function reachableInputs(schema: GraphQLSchema, name: string): ReadonlySet<string> {
  const reached = new Set([name]);
  for (const each of reached) {
    const type = schema.getType(each);
    if (!isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) reached.add(getNamedType(field.type).name);
  }
  return reached;
}
