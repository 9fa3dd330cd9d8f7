import { Kind, type OperationDefinitionNode, type TypeNode } from 'graphql';
import { GatewayError } from '../errors.ts';

/**
 * Makes an endpoint's variables of the query string, the JSON body and the path, the latter winning. Values of the body
 * are taken as they are; texts of the URL are read by the type that the operation declares, as in Hasura.
 *
 * @throws GatewayError `bad-request` for a variable that the operation does not declare, or a list in the URL.
 */
export function endpointVariables(
  operation: OperationDefinitionNode,
  search: string,
  body: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const declared = new Map(operation.variableDefinitions?.map((item) => [item.variable.name.value, item.type]));
  const texts = [...new URLSearchParams(search), ...Object.entries(parameters)];
  for (const name of [...texts.map(([name]) => name), ...Object.keys(body)])
    if (!declared.has(name)) throw new GatewayError('bad-request', `Unexpected variable ${name.slice(0, 64)}`);

  const read = (list: readonly (readonly [string, string])[]) =>
    list.map(([name, text]) => [name, fromText(name, text, declared.get(name))] as const);
  return Object.fromEntries([
    ...read([...new URLSearchParams(search)]),
    ...Object.entries(body),
    ...read(Object.entries(parameters)),
  ]);
}

function fromText(name: string, text: string, type: TypeNode | undefined): unknown {
  const nullable = type?.kind !== Kind.NON_NULL_TYPE;
  const named = type?.kind === Kind.NON_NULL_TYPE ? type.type : type;
  if (named?.kind === Kind.LIST_TYPE)
    throw new GatewayError(
      'bad-request',
      `List variables are not currently supported in URL or Query parameters. (Variable ${name})`,
    );
  const scalar = named?.kind === Kind.NAMED_TYPE ? named.name.value : '';
  if (text === '') return scalar === 'Boolean' ? true : nullable ? null : '';
  if (scalar === 'Boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (scalar === 'Int' || scalar === 'Float') return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
  return text;
}
