export const schemaPage = {
  title: 'Schema and clients',
  lead: 'The schema that your role sees, to download, and what generates typed clients from it.',
  downloads: {
    title: 'Downloads',
    sdl: 'SDL (schema.graphql)',
    introspection: 'Introspection (schema.json)',
    openapi: 'OpenAPI (openapi.json)',
    size: (types: number, lines: number) => `${types} types, ${lines} lines of SDL`,
  },
  codegen: {
    title: 'Generate a typed client',
    text: 'Each command reads the schema from this gateway as your role. TOKEN is an access token, which expires after some minutes: log in for a new one, as the first command does.',
    token: 'A token in the shell',
    adminToken: 'The admin secret in the shell',
    steps: {
      codegen: 'TypeScript, with GraphQL Code Generator',
      tada: 'TypeScript, with gql.tada',
      openapi: 'TypeScript of the REST endpoints, with openapi-typescript',
      curl: 'A schema file for every other generator',
    },
  },
} as const;
