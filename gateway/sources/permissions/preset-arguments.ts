import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
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
  type TypeNode,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  type VariableNode,
  valueFromAST,
} from 'graphql';
import type { Session } from '../../access/session/index.ts';
import { nameNode, type Variables } from '../../graphql/syntax/index.ts';
import { PresetInputs, presetInputsOf, type RolePresets } from './preset-inputs.ts';

/** Computes the variables that are sent to the source from the client's variables and the session. */
export type SentVariables = (variables: Variables, session: Session) => Variables;

/** A variable that is sent to the source, unless its computed value is undefined. */
interface ComputedVariable {
  readonly definition: VariableDefinitionNode;
  readonly compute: (inputs: PresetInputs, variables: Variables) => unknown;
}

/** Computes a replacement for an input that has no value. */
type Omitted = ((inputs: PresetInputs) => unknown) | undefined;
type Input = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'defaultValue'>;

/** A placeholder value that only shows where presets are inserted. */
const ANY_PRESET = 'preset';

/**
 * Inserts the presets of a role into an operation, once for all requests. The values of presets become variables that
 * are computed when the operation runs.
 *
 * If the client omits an optional input object, the object is sent with its presets, unless other fields of it are
 * required. If the source has a default for the object, the default is sent with the presets. The same applies if the
 * client uses a variable that has no value.
 */
export class PresetArguments {
  readonly #role: RolePresets;
  /** The client's variable definitions, with the source's type names. */
  readonly #declared: ReadonlyMap<string, VariableDefinitionNode>;
  readonly #probe: PresetInputs;
  /** Computed variables by the inputs that determine their values. */
  readonly #computed = new Map<string, ComputedVariable>();
  readonly #names: Set<string>;
  /** The client's variables that a computed variable of the same name replaces. */
  readonly #replaced = new Set<string>();
  /** The client's variables from which several variables are computed. */
  readonly #split = new Set<string>();
  #count = 0;

  constructor(role: RolePresets, declared: readonly VariableDefinitionNode[]) {
    this.#role = role;
    this.#declared = new Map(declared.map((definition) => [definition.variable.name.value, definition]));
    this.#names = new Set(this.#declared.keys());
    this.#probe = new PresetInputs(role, () => ANY_PRESET);
  }

  /** Computes the arguments of a field. @param parent the field's type in the role's part of the source's schema. */
  argumentsOf(node: FieldNode, field: GraphQLField<unknown, unknown>, parent: string): readonly ArgumentNode[] {
    const given: ArgumentNode[] = [];
    const names = new Set<string>();
    for (const argument of node.arguments ?? []) {
      const name = argument.name.value;
      names.add(name);
      const definition = field.args.find((candidate) => candidate.name === name);
      given.push(definition ? { ...argument, value: this.#given(argument.value, definition, []) } : argument);
    }
    for (const argument of field.args) {
      const { name } = argument;
      if (names.has(name)) continue;
      const value = this.#omittedValue(`${parent}.${field.name}.${name}`, argument, []);
      if (value) given.push({ kind: Kind.ARGUMENT, name: nameNode(name), value });
    }
    return given;
  }

  /**
   * The variable definitions of the operation. Must be called after the arguments of all fields are computed.
   * @param used the variables that the operation uses
   */
  definitions(used: ReadonlySet<string>): readonly VariableDefinitionNode[] {
    const computed = [...this.#computed.values()].map(({ definition }) => definition);
    return [...[...this.#declared.values()].filter((one) => this.#isKept(one, used)), ...computed];
  }

  /** The client's variables that are sent under their own names only. */
  get ownNames(): ReadonlySet<string> {
    return new Set([...this.#declared.keys()].filter((name) => !this.#split.has(name)));
  }

  /** @throws GraphQLError from the returned function if a session variable is missing or does not fit. */
  variables(used: ReadonlySet<string>): SentVariables {
    const computed = [...this.#computed.values()];
    const kept = [...this.#declared.values()]
      .filter((one) => this.#isKept(one, used))
      .map(({ variable }) => variable.name.value);
    return (variables, session) => {
      const inputs = presetInputsOf(this.#role, session);
      // The object has no prototype because a variable may be named `__proto__`.
      const sent: Record<string, unknown> = Object.create(null);
      for (const name of kept) if (Object.hasOwn(variables, name)) sent[name] = variables[name];
      for (const { definition, compute } of computed) {
        const value = compute(inputs, variables);
        if (value !== undefined) sent[definition.variable.name.value] = value;
      }
      return sent;
    };
  }

  #isKept({ variable: { name } }: VariableDefinitionNode, used: ReadonlySet<string>): boolean {
    return used.has(name.value) && !this.#replaced.has(name.value);
  }

  /** Computes the value of an argument or input field. A variable without a value omits the input. */
  #given(node: ValueNode, input: Input, within: readonly string[]): ValueNode {
    if (!this.#isFilled(input.type)) return node;
    if (node.kind === Kind.VARIABLE) return this.#variable(node, input, within, this.#omitted(input, within));
    return this.#inLiteral(node, input.type, within);
  }

  #inLiteral(node: ValueNode, type: GraphQLInputType, within: readonly string[]): ValueNode {
    if (!this.#isFilled(type)) return node;
    if (node.kind === Kind.VARIABLE)
      return this.#variable(node, { type, defaultValue: undefined }, within, this.#presetsOnly(type, within));
    const inner = getNullableType(type);
    // A single value other than null may stand for a list of one item.
    if (isListType(inner)) {
      if (node.kind === Kind.NULL) return node;
      if (node.kind !== Kind.LIST) return this.#inLiteral(node, inner.ofType, within);
      return { ...node, values: node.values.map((item) => this.#inLiteral(item, inner.ofType, within)) };
    }
    if (!isInputObjectType(inner)) return node;
    if (node.kind === Kind.NULL) {
      const omitted = this.#presetsOnly(type, within);
      return omitted ? this.#fresh(`null ${String(type)} ${within.join(' ')}`, type, omitted) : node;
    }
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
      const value = this.#omittedValue(`${type.name}.${definition.name}`, definition, within);
      if (value) fields.push({ kind: Kind.OBJECT_FIELD, name: nameNode(definition.name), value });
    }
    return { ...node, fields };
  }

  /** The value for an input that the client omits. Undefined if the source needs no value for it. */
  #omittedValue(key: string, input: Input, within: readonly string[]): VariableNode | undefined {
    const { type } = input;
    const preset = this.#role.presets.get(key);
    // To be merged, equal fields of an interface and its implementing type need equal arguments (GraphQL 5.3.2).
    if (preset)
      return this.#fresh(`preset ${JSON.stringify(preset)} ${String(type)}`, type, (inputs) =>
        inputs.presetOf(key, type),
      );
    if (!this.#isFilled(type)) return undefined;
    const omitted = this.#omitted(input, within);
    return omitted && this.#fresh(`omitted ${identityOf(input, within)}`, type, omitted);
  }

  /**
   * Inserts presets into the value of a client's variable. The replacement for null differs by place, so one client
   * variable may become several. The first one keeps its name, under which files are sent.
   */
  #variable(node: VariableNode, input: Input, within: readonly string[], whenOmitted: Omitted): VariableNode {
    const name = node.name.value;
    const identity = `$${name} ${identityOf(input, within)}`;
    const known = this.#computed.get(identity);
    if (known) return known.definition.variable;
    const declared = this.#declared.get(name);
    if (!declared) return node;
    const { type } = input;
    const fallback = this.#defaultOf(declared);
    const whenNull = this.#presetsOnly(type, within);
    const isFirst = !this.#replaced.has(name);
    if (isFirst) this.#replaced.add(name);
    else this.#split.add(name);
    const { defaultValue: _, ...definition } = declared;
    const computed: ComputedVariable = {
      definition: {
        ...definition,
        variable: isFirst ? node : variableNode(this.#freshName()),
        type: this.#typeIn(input, declared),
      },
      compute: (inputs, variables) => {
        const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
        const value = given === undefined ? fallback : given;
        if (value === undefined) return whenOmitted?.(inputs);
        if (value === null) return whenNull ? whenNull(inputs) : null;
        return inputs.filled(value, type, within);
      },
    };
    this.#computed.set(identity, computed);
    return computed.definition.variable;
  }

  /** Defaults of variables are applied here, since defaults that the source applies would lack the presets. */
  #defaultOf({ type: typeNode, defaultValue }: VariableDefinitionNode): unknown {
    const type = typeFromAST(this.#role.schema, typeNode);
    return defaultValue && isInputType(type) ? valueFromAST(defaultValue, type) : undefined;
  }

  /** If a place requires a value, a nullable variable is allowed there only with a default (GraphQL 5.8.5). */
  #typeIn({ type, defaultValue }: Input, declared: VariableDefinitionNode): TypeNode {
    const needsValue = isNonNullType(type) && defaultValue === undefined;
    if (!needsValue || declared.type.kind === Kind.NON_NULL_TYPE) return declared.type;
    return { kind: Kind.NON_NULL_TYPE, type: declared.type };
  }

  #isFilled(type: GraphQLInputType): boolean {
    return this.#role.filledTypes.has(getNamedType(type).name);
  }

  #omitted({ type, defaultValue }: Input, within: readonly string[]): Omitted {
    if (defaultValue === undefined || defaultValue === null) return this.#presetsOnly(type, within);
    if (this.#probe.filledDefault(defaultValue, type, within) === undefined) return undefined;
    return (inputs) => inputs.filled(defaultValue, type, within);
  }

  #presetsOnly(type: GraphQLInputType, within: readonly string[]): Omitted {
    const inner = getNullableType(type);
    if (!isInputObjectType(inner) || !this.#probe.presetsOf(inner, within)) return undefined;
    return (inputs) => inputs.presetsOf(inner, within);
  }

  /** Creates a variable that the client's operation does not have. */
  #fresh(identity: string, type: GraphQLInputType, compute: (inputs: PresetInputs) => unknown): VariableNode {
    const known = this.#computed.get(identity);
    if (known) return known.definition.variable;
    const variable = variableNode(this.#freshName());
    const definition = { kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) } as const;
    this.#computed.set(identity, { definition, compute });
    return variable;
  }

  #freshName(): string {
    let name = `preset_${this.#count}`;
    while (this.#names.has(name)) name += '_';
    this.#count += 1;
    this.#names.add(name);
    return name;
  }
}

function identityOf({ type, defaultValue }: Input, within: readonly string[]): string {
  return `${String(type)} ${JSON.stringify(defaultValue)} ${[...new Set(within)].sort().join(' ')}`;
}

function variableNode(name: string): VariableNode {
  return { kind: Kind.VARIABLE, name: nameNode(name) };
}
