import {
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';

/*
 * The reference contract of the login shows a response with the member `auth_user_login`, which contains `success`,
 * `error_message` and `data`, although its operation selects `data` only. The response to this mutation therefore
 * contains the member beside the standard `data`. Standard clients ignore it. No other file of the gateway knows a
 * field by its name.
 */
const LOGIN_FIELD = 'auth_user_login';
const HIDDEN = { success: 'portico_envelope_success', error_message: 'portico_envelope_error_message' } as const;

/**
 * Adds the fields that the envelope needs to an operation that is a single login. Returns undefined for every other
 * operation.
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

/** Removes the fields that only the envelope needs from `data` and creates the envelope. */
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
