/** What the page reads of an OpenAPI document of the gateway. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>> };
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

export interface Endpoint {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly query: string | undefined;
  readonly parameters: readonly Parameter[];
  /** An example of a body, of nulls; undefined where the endpoint takes none. */
  readonly body: string | undefined;
}

/** The endpoints of a document, in its order. */
export function endpointsOf({ paths }: OpenApi): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const [description = '', text = ''] = (operation.description ?? '').split(/^\*\*\*$/m);
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      return {
        id: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        description: description.trim(),
        query: /```graphql\n([\s\S]*?)\n```/.exec(text)?.[1],
        parameters: operation.parameters ?? [],
        body: schema && JSON.stringify(exampleOf(schema), undefined, 2),
      };
    }),
  );
}

function exampleOf({ properties = {} }: JsonSchema): Record<string, null> {
  return Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
}

export interface RestRequest {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  readonly body: string | undefined;
}

/** The request of an endpoint. @param values of its parameters by name; those that are empty are left out. */
export function restRequestOf(endpoint: Endpoint, values: Readonly<Record<string, string>>, body: string): RestRequest {
  const search = new URLSearchParams();
  let { path } = endpoint;
  for (const { name, in: place } of endpoint.parameters) {
    const value = values[name] ?? '';
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query' && value !== '') search.set(name, value);
  }
  const query = search.size > 0 ? `?${search}` : '';
  return { method: endpoint.method, path: path + query, body: endpoint.body === undefined ? undefined : body };
}

/** The request as a command of a shell. The token is not in it: `$TOKEN` stands for it. */
export function curlOf({ method, path, body }: RestRequest, origin: string, role: string, isAdmin: boolean): string {
  const credential = isAdmin ? '"x-hasura-admin-secret: $ADMIN_SECRET"' : '"authorization: Bearer $TOKEN"';
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(origin + path)}`,
    `  -H ${credential} -H ${shellQuoted(`x-hasura-role: ${role}`)}`,
    ...(body === undefined ? [] : [`  -H 'content-type: application/json' -d ${shellQuoted(body)}`]),
  ].join(' \\\n');
}

/** A word of a shell (POSIX 2.2.2). */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
