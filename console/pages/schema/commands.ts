/** What the commands are written for. */
export interface CodegenTarget {
  /** The gateway's address, without a slash at its end. */
  readonly origin: string;
  readonly role: string;
  readonly isAdmin: boolean;
}

const FILES = { sdl: 'schema.graphql', openapi: 'openapi.json' };

/** The headers that the commands send. The shell knows the secret, which is in no command. */
function headerLines({ role, isAdmin }: CodegenTarget): readonly string[] {
  const credential = isAdmin ? 'x-hasura-admin-secret: $ADMIN_SECRET' : 'authorization: Bearer $TOKEN';
  return [credential, `x-hasura-role: ${role}`];
}

/** Asks for a token, or the admin secret, without showing it. */
export function credentialCommand({ origin, isAdmin }: CodegenTarget): string {
  if (isAdmin) return "printf 'admin secret: '; read -rs ADMIN_SECRET; export ADMIN_SECRET";
  return [
    "printf 'user: '; read -r LOGIN; printf 'password: '; read -rs PASSWORD; printf '\\ntenant id: '; read -r TENANT",
    "export TOKEN=$(LOGIN=$LOGIN PASSWORD=$PASSWORD TENANT=$TENANT node --input-type=module -e '",
    '  const { LOGIN: username, PASSWORD: password, TENANT } = process.env;',
    `  const answer = await fetch("${origin}/api/rest/auth_user_login", {`,
    '    method: "POST",',
    '    headers: { "content-type": "application/json" },',
    '    body: JSON.stringify({ username, password, tenant_id: Number(TENANT) }),',
    '  });',
    "  console.log((await answer.json()).auth_user_login.data.access_token)')",
  ].join('\n');
}

function npxHeaders(context: CodegenTarget): string {
  return headerLines(context)
    .map((header) => `-H "${header}"`)
    .join(' ');
}

/** Writes the schema as SDL. */
export function sdlCommand(context: CodegenTarget): string {
  const headers = headerLines(context).map((header) => `--header "${header}"`);
  return `npx --yes gql.tada@1 generate-schema "${context.origin}/v1/graphql" ${headers.join(' ')} --output ${FILES.sdl}`;
}

export function codegenCommand(context: CodegenTarget): string {
  return [
    sdlCommand(context),
    'npm install --save-dev @graphql-codegen/cli @graphql-codegen/client-preset graphql typescript',
    "cat > codegen.ts <<'END'",
    "import type { CodegenConfig } from '@graphql-codegen/cli';",
    '',
    'const config: CodegenConfig = {',
    "  schema: 'schema.graphql',",
    "  documents: ['src/**/*.{ts,tsx}'],",
    "  generates: { './src/gql/': { preset: 'client' } },",
    '};',
    'export default config;',
    'END',
    'npx graphql-codegen',
  ].join('\n');
}

export function tadaCommand(context: CodegenTarget): string {
  return [
    'npm install gql.tada',
    sdlCommand(context),
    '# tsconfig.json: { "compilerOptions": { "plugins": [{ "name": "gql.tada/ts-plugin",',
    '#   "schema": "schema.graphql", "tadaOutputLocation": "src/graphql-env.d.ts" }] } }',
    'npx gql.tada generate-output',
  ].join('\n');
}

/** Written by curl, for generators of other languages. */
export function introspectionCommand(context: CodegenTarget, query: string): string {
  const headers = [...headerLines(context), 'content-type: application/json'].map((header) => `-H "${header}"`);
  return [
    `curl -sS ${context.origin}/v1/graphql ${headers.join(' ')} \\`,
    `  -d '${JSON.stringify({ query: query.replace(/\s+/g, ' ').trim() })}' > schema.json`,
  ].join('\n');
}

export function openapiCommand(context: CodegenTarget): string {
  return [
    `curl -sS ${context.origin}/api/swagger/json ${npxHeaders(context)} > ${FILES.openapi}`,
    `npx --yes --package openapi-typescript@7 --package typescript@5 openapi-typescript ${FILES.openapi} --output api.d.ts`,
  ].join('\n');
}
