import { Kind, type OperationDefinitionNode, type TypeNode } from 'graphql';
import type { GatewayError } from '../../errors.ts';
import { missingVariableValue, unexpectedVariable, variableIsNoList } from './errors.ts';
import { itemType, type KindOfType, readItems, readTextValue } from './url-values.ts';

/** The sources of an endpoint's variables. */
export interface VariableSources {
  /** The query string, without its question mark. */
  readonly search: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The decoded texts of the path. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Builds an endpoint's variables from the query string, the JSON body and the path, with increasing precedence. Values of the
 * body are used unchanged, and texts of the URL are parsed by the declared type. As in Hasura, an empty text for a nullable
 * variable counts as absent, so that defaults apply. A list may also be a repeated parameter: `id=1&id=2` or `id[]=1&id[]=2`.
 *
 * @throws GatewayError `bad-request` for an undeclared variable, or for several values of a variable that is not a list.
 */
export function endpointVariables(
  operation: OperationDefinitionNode,
  { search, body, parameters }: VariableSources,
  kindOf: KindOfType,
): Readonly<Record<string, unknown>> {
  const declared = new Map(operation.variableDefinitions?.map(({ variable, type }) => [variable.name.value, type]));
  const typeOf = (name: string): TypeNode => {
    const type = declared.get(name);
    if (!type) throw unexpectedVariable(name);
    return type;
  };

  const variables = new Map<string, unknown>();
  for (const [name, given] of queryParameters(search)) {
    const value = readGiven(name, given, typeOf(name), kindOf);
    if (value !== null) variables.set(name, value);
  }
  for (const [name, value] of Object.entries(body)) if (typeOf(name)) variables.set(name, value);
  for (const [name, text] of Object.entries(parameters)) variables.set(name, readTextValue(text, typeOf(name), kindOf));
  return Object.fromEntries(variables);
}

/** Returns the first required variable without a value, as Hasura reports it. */
export function missingVariable(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): GatewayError | undefined {
  const missing = variableDefinitions.find(
    ({ variable, type, defaultValue }) =>
      type.kind === Kind.NON_NULL_TYPE && !defaultValue && !Object.hasOwn(variables, variable.name.value),
  );
  if (!missing) return undefined;
  return missingVariableValue(missing.variable.name.value);
}

interface GivenParameter {
  readonly texts: string[];
  /** Whether the name has the brackets of a list. */
  bracketed: boolean;
}

function queryParameters(search: string): ReadonlyMap<string, GivenParameter> {
  const parameters = new Map<string, GivenParameter>();
  for (const [key, text] of new URLSearchParams(search)) {
    const bracketed = key.endsWith('[]');
    const name = bracketed ? key.slice(0, -2) : key;
    const given = parameters.get(name) ?? { texts: [], bracketed: false };
    given.texts.push(text);
    given.bracketed ||= bracketed;
    parameters.set(name, given);
  }
  return parameters;
}

function readGiven(name: string, { texts, bracketed }: GivenParameter, type: TypeNode, kindOf: KindOfType): unknown {
  const [first = '', ...others] = texts;
  if (others.length === 0 && !bracketed) return readTextValue(first, type, kindOf);
  const item = itemType(type);
  if (!item) throw variableIsNoList(name);
  return readItems(texts, item, kindOf);
}
