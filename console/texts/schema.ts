export const schemaPage = {
  title: 'Schema and clients',
  lead: 'Download the schema available to your role, and generate typed clients from it.',
  downloads: {
    title: 'Downloads',
    sdl: 'SDL (schema.graphql)',
    introspection: 'Introspection (schema.json)',
    openapi: 'OpenAPI (openapi.json)',
    size: (types: number, lines: number) => `${types} types, ${lines} lines of SDL`,
  },
  codegen: {
    title: 'Generate a typed client',
    text: 'Each command reads the schema available to your role from this gateway. TOKEN is an access token. It expires after a few minutes; run the first command to get a new one.',
    token: 'Set the token in your shell',
    adminToken: 'Set the admin secret in your shell',
    steps: {
      codegen: 'TypeScript, with GraphQL Code Generator',
      tada: 'TypeScript, with gql.tada',
      openapi: 'TypeScript types for the REST endpoints, with openapi-typescript',
      curl: 'A schema file for any other generator',
    },
  },
} as const;
