import { Kind, type OperationDefinitionNode, type TypeNode } from 'graphql';
import type { GatewayError } from '../../errors.ts';
import { missingVariableValue, unexpectedVariable, variableIsNoList } from './errors.ts';
import { itemType, type KindOfType, readItems, readTextValue } from './url-values.ts';

/** Where an endpoint's variables come from. */
export interface VariableSources {
  /** The query string, without its question mark. */
  readonly search: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Texts of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Makes an endpoint's variables of the query string, the JSON body and the path, the latter winning. Values of the body
 * are taken as they are, texts of the URL are read by the type that the operation declares. An empty text where null may be
 * counts as not given, as in Hasura, so that defaults apply. A list may also be given as a repeated parameter, `id=1&id=2`
 * or `id[]=1&id[]=2`.
 *
 * @throws GatewayError `bad-request` for a variable that the operation does not declare, or several values for one that
 * is no list.
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

/** The first variable that must be given and is not, as Hasura reports it. */
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
