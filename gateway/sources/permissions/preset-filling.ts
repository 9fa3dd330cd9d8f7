import type { ExecutionRequest } from '@graphql-tools/utils';
import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type ObjectValueNode,
  parseType,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Session } from '../../session/index.ts';
import { declaredVariables, unusedVariables } from './operation-variables.ts';
import type { Presets } from './preset.ts';
import { presetValue } from './preset-values.ts';

export interface PresetFillingOptions {
  readonly request: ExecutionRequest;
  readonly presets: Presets;
  /** The role's part of the remote schema, with the inputs that are preset. */
  readonly schema: GraphQLSchema;
  readonly session: Session;
  /** The remote's name, for errors. */
  readonly service: string;
}

/**
 * Fills one operation. The values of presets go as variables of their own, so that the text of an operation is the same
 * for every caller.
 *
 * An optional input object that the client leaves out is sent with the presets in it, unless it has other required
 * fields; where the remote has a default for it, that default is sent with the presets. The same holds where the client
 * gives a variable that has no value.
 */
export class PresetFilling {
  readonly #options: PresetFillingOptions;
  readonly #variables: Map<string, unknown>;
  /** Those of the client that others have taken the place of somewhere. */
  readonly #replaced = new Set<string>();
  readonly #declared: ReadonlySet<string>;
  readonly #added: VariableDefinitionNode[] = [];
  /** The variables that hold presets, by the presets' keys. */
  readonly #byKey = new Map<string, VariableNode>();

  constructor(options: PresetFillingOptions) {
    this.#options = options;
    this.#variables = new Map(Object.entries(options.request.variables ?? {}));
    this.#declared = new Set(declaredVariables(options.request.document).map(({ variable }) => variable.name.value));
  }

  /** @throws GraphQLError when a session variable is missing or does not fit. */
  fill(): ExecutionRequest {
    const { request, schema } = this.#options;
    const types = new TypeInfo(schema);
    this.#resolveDefaults();
    const document = visit(
      request.document,
      visitWithTypeInfo(types, {
        Field: (node) => {
          const parent = types.getParentType();
          const field = types.getFieldDef();
          return parent && field ? this.#withArguments(node, field, parent.name) : undefined;
        },
      }),
    );
    // Services refuse operations that declare them.
    const unused = unusedVariables(this.#replaced, document);
    for (const name of unused) this.#variables.delete(name);
    return {
      ...request,
      variables: Object.fromEntries(this.#variables),
      document: visit(document, {
        OperationDefinition: (node) => ({
          ...node,
          variableDefinitions: [
            ...(node.variableDefinitions ?? [])
              .filter(({ variable }) => !unused.has(variable.name.value))
              .map((definition) => this.#withoutUnfilledDefault(definition)),
            ...this.#added,
          ],
        }),
      }),
    };
  }

  /** Applies defaults here: those that the remote applies would lack the presets. */
  #resolveDefaults(): void {
    const { request, schema } = this.#options;
    for (const { variable, type: typeNode, defaultValue } of declaredVariables(request.document)) {
      const type = typeFromAST(schema, typeNode);
      const name = variable.name.value;
      if (defaultValue && isInputType(type) && this.#variables.get(name) === undefined)
        this.#variables.set(name, valueFromAST(defaultValue, type));
    }
  }

  /**
   * Removes a default that lacks presets, which the remote may require. A variable that has a value stays usable where the
   * remote expects one that is not null (GraphQL 5.8.5).
   */
  #withoutUnfilledDefault(definition: VariableDefinitionNode): VariableDefinitionNode {
    const { defaultValue, ...rest } = definition;
    const value = this.#variables.get(rest.variable.name.value);
    if (!defaultValue || value === undefined) return definition;
    const type = typeFromAST(this.#options.schema, rest.type);
    if (!isInputType(type) || !isInputObjectType(getNamedType(type))) return definition;
    if (this.#filledDefault(valueFromAST(defaultValue, type), type, []) === undefined) return definition;
    if (value === null || rest.type.kind === Kind.NON_NULL_TYPE) return rest;
    return { ...rest, type: { kind: Kind.NON_NULL_TYPE, type: rest.type } };
  }

  #withArguments(node: FieldNode, field: GraphQLField<unknown, unknown>, parent: string): FieldNode {
    const given: ArgumentNode[] = [];
    const names = new Set<string>();
    for (const argument of node.arguments ?? []) {
      const name = argument.name.value;
      names.add(name);
      const definition = field.args.find((candidate) => candidate.name === name);
      given.push(definition ? { ...argument, value: this.#given(argument.value, definition, []) } : argument);
    }
    for (const argument of field.args) {
      const { name, type } = argument;
      if (names.has(name)) continue;
      const key = `${parent}.${field.name}.${name}`;
      const value = this.#presetVariable(key, type) ?? this.#omitted(argument, []);
      if (value) given.push({ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: name }, value });
    }
    return { ...node, arguments: given };
  }

  /**
   * The value of an argument or an input field. A variable without a value leaves it out.
   *
   * @param within the types of the input objects around it, whose presets are not added a second time.
   */
  #given(node: ValueNode, input: OmittedInput, within: readonly string[]): ValueNode {
    if (node.kind !== Kind.VARIABLE || this.#variables.get(node.name.value) !== undefined)
      return this.#inLiteral(node, input.type, within);
    return this.#replacing(node, this.#omitted(input, within));
  }

  #replacing(node: VariableNode, other: VariableNode | undefined): VariableNode {
    if (!other) return node;
    this.#replaced.add(node.name.value);
    return other;
  }

  #inLiteral(node: ValueNode, type: GraphQLInputType, within: readonly string[]): ValueNode {
    const inner = getNullableType(type);
    if (!isInputObjectType(getNamedType(inner))) return node;
    if (node.kind === Kind.VARIABLE) return this.#inVariable(node, type, within);
    // A single value, but not null, may stand for a list of one.
    if (isListType(inner)) {
      if (node.kind === Kind.NULL) return node;
      if (node.kind !== Kind.LIST) return this.#inLiteral(node, inner.ofType, within);
      return { ...node, values: node.values.map((item) => this.#inLiteral(item, inner.ofType, within)) };
    }
    if (!isInputObjectType(inner)) return node;
    if (node.kind === Kind.NULL) return this.#objectForPresets(type, within) ?? node;
    return node.kind === Kind.OBJECT ? this.#inObject(node, inner, [...within, inner.name]) : node;
  }

  #inObject(node: ObjectValueNode, type: GraphQLInputObjectType, within: readonly string[]): ObjectValueNode {
    const definitions = type.getFields();
    const given = new Set(node.fields.map((field) => field.name.value));
    const fields: ObjectFieldNode[] = node.fields.map((item) => {
      const definition = definitions[item.name.value];
      return definition ? { ...item, value: this.#given(item.value, definition, within) } : item;
    });
    for (const definition of Object.values(definitions)) {
      if (given.has(definition.name)) continue;
      const key = `${type.name}.${definition.name}`;
      const value = this.#presetVariable(key, definition.type) ?? this.#omitted(definition, within);
      if (value) fields.push({ kind: Kind.OBJECT_FIELD, name: { kind: Kind.NAME, value: definition.name }, value });
    }
    return { ...node, fields };
  }

  /** What stands for null differs by place, so it is not put into the variable. */
  #inVariable(node: VariableNode, type: GraphQLInputType, within: readonly string[]): VariableNode {
    const name = node.name.value;
    const value = this.#variables.get(name) ?? null;
    if (value === null) return this.#replacing(node, this.#objectForPresets(type, within));
    this.#variables.set(name, this.#inValue(value, type, within));
    return node;
  }

  #inValue(value: unknown, type: GraphQLInputType, within: readonly string[]): unknown {
    const inner = getNullableType(type);
    if (isListType(inner)) {
      if (Array.isArray(value)) return value.map((item) => this.#inValue(item, inner.ofType, within));
      return value === null || value === undefined ? value : this.#inValue(value, inner.ofType, within);
    }
    if (!isInputObjectType(inner)) return value;
    if (value === null || value === undefined) return this.#presetsOf(inner, within) ?? value;
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    const result: Record<string, unknown> = { ...value };
    const inside = [...within, inner.name];
    for (const { name, type: fieldType, defaultValue } of Object.values(inner.getFields())) {
      const key = `${inner.name}.${name}`;
      const given = Object.hasOwn(result, name) ? result[name] : undefined;
      const isOmitted = given === undefined && defaultValue !== undefined && defaultValue !== null;
      const filled = this.#options.presets.has(key)
        ? this.#presetValue(key, fieldType)
        : isOmitted
          ? this.#filledDefault(defaultValue, fieldType, inside)
          : this.#inValue(given, fieldType, inside);
      if (filled !== undefined) result[name] = filled;
    }
    return result;
  }

  /** The variable that holds a preset; undefined where there is none. */
  #presetVariable(key: string, type: GraphQLInputType): VariableNode | undefined {
    if (!this.#options.presets.has(key)) return undefined;
    const variable = this.#byKey.get(key) ?? this.#variable(type, this.#presetValue(key, type));
    this.#byKey.set(key, variable);
    return variable;
  }

  /** The variable of what the client leaves out; undefined where the remote's default needs no presets. */
  #omitted({ type, defaultValue }: OmittedInput, within: readonly string[]): VariableNode | undefined {
    if (defaultValue === undefined || defaultValue === null) return this.#objectForPresets(type, within);
    const filled = this.#filledDefault(defaultValue, type, within);
    return filled === undefined ? undefined : this.#variable(type, filled);
  }

  /** A default with presets; undefined where it needs none. */
  #filledDefault(value: unknown, type: GraphQLInputType, within: readonly string[]): unknown {
    const filled = this.#inValue(value, type, within);
    return JSON.stringify(filled) === JSON.stringify(value) ? undefined : filled;
  }

  /**
   * The variable of an object that contains presets only; undefined without presets, or where other fields are
   * required.
   */
  #objectForPresets(type: GraphQLInputType, within: readonly string[]): VariableNode | undefined {
    const inner = getNullableType(type);
    const value = isInputObjectType(inner) ? this.#presetsOf(inner, within) : undefined;
    return value && this.#variable(type, value);
  }

  #presetsOf(type: GraphQLInputObjectType, within: readonly string[]): Record<string, unknown> | undefined {
    if (within.includes(type.name)) return undefined;
    const value: Record<string, unknown> = {};
    const inside = [...within, type.name];
    for (const definition of Object.values(type.getFields())) {
      const key = `${type.name}.${definition.name}`;
      const inner = getNullableType(definition.type);
      const filled = this.#options.presets.has(key)
        ? this.#presetValue(key, definition.type)
        : isInputObjectType(inner)
          ? this.#presetsOf(inner, inside)
          : undefined;
      if (filled !== undefined) value[definition.name] = filled;
      else if (isNonNullType(definition.type) && definition.defaultValue === undefined) return undefined;
    }
    return Object.keys(value).length > 0 ? value : undefined;
  }

  #presetValue(key: string, type: GraphQLInputType): unknown {
    const { presets, session, service } = this.#options;
    const preset = presets.get(key);
    return preset && presetValue(preset, type, session, service);
  }

  #variable(type: GraphQLInputType, value: unknown): VariableNode {
    let name = `preset_${this.#added.length}`;
    while (this.#declared.has(name)) name += '_';
    const variable: VariableNode = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } };
    this.#variables.set(name, value);
    this.#added.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) });
    return variable;
  }
}

type OmittedInput = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'defaultValue'>;
