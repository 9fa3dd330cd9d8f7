import type { ExecutionRequest, Executor } from '@graphql-tools/utils';
import {
  type ArgumentNode,
  astFromValue,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type ObjectFieldNode,
  TypeInfo,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Session } from '../session/index.ts';
import type { Call } from './call.ts';
import { type Presets, presetValue } from './presets.ts';

/**
 * Puts a role's presets into every operation before it goes to the remote.
 *
 * @param schema the role's part of the remote schema, with the inputs that are preset.
 */
export function withPresets(
  executor: Executor<Call>,
  presets: Presets,
  schema: GraphQLSchema,
  service: string,
): Executor<Call> {
  if (presets.size === 0) return executor;
  return (request: ExecutionRequest) => {
    const call = request.context as Call | undefined;
    if (!call) throw new TypeError('an operation without a caller');
    try {
      return executor(filledIn(request, presets, schema, call.session, service));
    } catch (error) {
      if (error instanceof GraphQLError) return { data: null, errors: [error] };
      throw error;
    }
  };
}

function filledIn(
  request: ExecutionRequest,
  presets: Presets,
  schema: GraphQLSchema,
  session: Session,
  service: string,
): ExecutionRequest {
  const types = new TypeInfo(schema);
  const variables: Record<string, unknown> = { ...request.variables };
  const filledVariables = new Set<string>();
  const valueFor = (key: string, type: GraphQLInputType) => {
    const preset = presets.get(key);
    return preset && presetValue(preset, type, session, service);
  };

  const document = visit(
    request.document,
    visitWithTypeInfo(types, {
      Field(node) {
        const parent = types.getParentType();
        const field = types.getFieldDef();
        if (!parent || !field) return undefined;
        return withArguments(node, field, parent.name);
      },
    }),
  );
  return { ...request, document, variables };

  function withArguments(node: FieldNode, field: GraphQLField<unknown, unknown>, parent: string): FieldNode {
    const given: ArgumentNode[] = [];
    for (const argument of node.arguments ?? []) {
      const type = field.args.find((candidate) => candidate.name === argument.name.value)?.type;
      given.push(type ? { ...argument, value: withFields(argument.value, type) } : argument);
    }
    for (const argument of field.args) {
      const value = valueFor(`${parent}.${field.name}.${argument.name}`, argument.type);
      if (value === undefined) continue;
      given.push({
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: argument.name },
        value: literal(value, argument.type),
      });
    }
    return { ...node, arguments: given };
  }

  function withFields(node: ValueNode, type: GraphQLInputType): ValueNode {
    const inner = getNullableType(type);
    if (!isInputObjectType(getNamedType(inner))) return node;
    if (node.kind === Kind.VARIABLE) {
      const name = node.name.value;
      if (!filledVariables.has(name) && Object.hasOwn(variables, name))
        variables[name] = withValues(variables[name], type);
      filledVariables.add(name);
      return node;
    }
    if (node.kind === Kind.LIST && isListType(inner))
      return { ...node, values: node.values.map((item) => withFields(item, inner.ofType)) };
    if (node.kind !== Kind.OBJECT || !isInputObjectType(inner)) return node;
    const definitions = inner.getFields();
    const fields: ObjectFieldNode[] = node.fields.map((item) => {
      const definition = definitions[item.name.value];
      return definition ? { ...item, value: withFields(item.value, definition.type) } : item;
    });
    for (const definition of Object.values(definitions)) {
      const value = valueFor(`${inner.name}.${definition.name}`, definition.type);
      if (value === undefined) continue;
      fields.push({
        kind: Kind.OBJECT_FIELD,
        name: { kind: Kind.NAME, value: definition.name },
        value: literal(value, definition.type),
      });
    }
    return { ...node, fields };
  }

  function withValues(value: unknown, type: GraphQLInputType): unknown {
    const inner = getNullableType(type);
    if (Array.isArray(value)) return isListType(inner) ? value.map((item) => withValues(item, inner.ofType)) : value;
    if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value;
    const result: Record<string, unknown> = { ...value };
    for (const definition of Object.values(inner.getFields())) {
      const preset = valueFor(`${inner.name}.${definition.name}`, definition.type);
      if (preset !== undefined) result[definition.name] = preset;
      else if (Object.hasOwn(result, definition.name))
        result[definition.name] = withValues(result[definition.name], definition.type);
    }
    return result;
  }
}

function literal(value: unknown, type: GraphQLInputType): ValueNode {
  return astFromValue(value, type) ?? { kind: Kind.NULL };
}
