/** A request in one language, to copy. */
export interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

/** Stands for the gateway's address in snippets. The page's script replaces it by the address that the browser uses. */
export const ORIGIN = 'https://gateway.example';

/** The body of a login, if the gateway has Portico's login as a REST endpoint. */
export type LoginBody = Readonly<Record<'username' | 'password', string>> & { readonly tenant_id: number };

const LOGIN = '/api/rest/auth_user_login';
const GRAPHQL = '/v1/graphql';

/** The same request in three languages: with a login before it, or with a token that the reader has. */
export function snippets(query: string, login: LoginBody | undefined): readonly Snippet[] {
  return [
    { id: 'curl', label: 'curl', text: curl(query, login) },
    { id: 'javascript', label: 'JavaScript', text: javascript(query, login) },
    { id: 'python', label: 'Python', text: python(query, login) },
  ];
}

function curl(query: string, login: LoginBody | undefined): string {
  const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`;
  const token = login
    ? `TOKEN=$(curl -sS ${ORIGIN}${LOGIN} \\
  -H 'content-type: application/json' \\
  -d ${quoted(login)} |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
    : `TOKEN='an access token'`;
  return `${token}

curl -sS ${ORIGIN}${GRAPHQL} \\
  -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d ${quoted({ query })}
`;
}

function javascript(query: string, login: LoginBody | undefined): string {
  const token = login
    ? `const login = await post('${LOGIN}', ${JSON.stringify(login)});
const token = login.auth_user_login.data.access_token;`
    : `const token = 'an access token';`;
  return `async function post(path, body, headers) {
  const response = await fetch('${ORIGIN}' + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

${token}

const { data, errors } = await post(
  '${GRAPHQL}',
  { query: ${JSON.stringify(query)} },
  { authorization: \`Bearer \${token}\` },
);
console.log(errors ?? data);
`;
}

function python(query: string, login: LoginBody | undefined): string {
  const token = login
    ? `login = post("${LOGIN}", ${JSON.stringify(login)})
token = login["auth_user_login"]["data"]["access_token"]`
    : `token = "an access token"`;
  return `import json
from urllib.request import Request, urlopen

def post(path, body, headers={}):
    request = Request(
        "${ORIGIN}" + path,
        json.dumps(body).encode(),
        {"content-type": "application/json", **headers},
    )
    return json.load(urlopen(request))

${token}

result = post(
    "${GRAPHQL}",
    {"query": ${JSON.stringify(query)}},
    {"authorization": "Bearer " + token},
)
print(result.get("errors") or result["data"])
`;
}
