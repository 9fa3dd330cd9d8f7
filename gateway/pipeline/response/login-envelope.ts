import {
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

/*
 * The reference contract of the login shows the GraphQL response as an object with the key `auth_user_login`, holding
 * `success`, `error_message` and `data`, although its operation selects `data` only. A response to that one mutation
 * therefore carries this member beside the standard `data`. Standard clients ignore it. This is the only file of the
 * gateway that knows a field by its name.
 */
const LOGIN_FIELD = 'auth_user_login';
const HIDDEN = { success: 'portico_envelope_success', error_message: 'portico_envelope_error_message' } as const;

/**
 * The operation to run in place of one that is a single login: it also selects what the envelope needs. Undefined for
 * every other operation.
 */
export function withEnvelopeFields(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): OperationDefinitionNode | undefined {
  const [field, ...others] = operation.selectionSet.selections;
  if (operation.operation !== 'mutation' || others.length > 0 || field?.kind !== Kind.FIELD) return undefined;
  if (field.name.value !== LOGIN_FIELD || field.alias || !field.selectionSet) return undefined;
  const type = getNamedType(schema.getMutationType()?.getFields()[LOGIN_FIELD]?.type);
  if (!isObjectType(type) || Object.keys(HIDDEN).some((name) => !type.getFields()[name])) return undefined;

  const hidden = Object.entries(HIDDEN).map(
    ([name, alias]): FieldNode => ({
      kind: Kind.FIELD,
      name: { kind: Kind.NAME, value: name },
      alias: { kind: Kind.NAME, value: alias },
    }),
  );
  const login: FieldNode = {
    ...field,
    selectionSet: { ...field.selectionSet, selections: [...field.selectionSet.selections, ...hidden] },
  };
  return { ...operation, selectionSet: { ...operation.selectionSet, selections: [login] } };
}

/** Takes what only the envelope needs out of `data`, and makes the envelope of it. */
export function takeEnvelope(data: Readonly<Record<string, unknown>> | null | undefined): {
  data: Readonly<Record<string, unknown>> | null | undefined;
  beside: Readonly<Record<string, unknown>>;
} {
  const result = data?.[LOGIN_FIELD] as Record<string, unknown> | null | undefined;
  if (!data || !result) return { data, beside: {} };
  const { [HIDDEN.success]: success, [HIDDEN.error_message]: error_message, ...selected } = result;
  const envelope = { success, error_message, ...('data' in selected && { data: selected.data }) };
  return { data: { ...data, [LOGIN_FIELD]: selected }, beside: { [LOGIN_FIELD]: envelope } };
}
