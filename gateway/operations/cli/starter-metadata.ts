/** The files that `portico init` writes. Each is valid and has a commented example. */
export const STARTER: Readonly<Record<string, string>> = {
  'version.yaml': 'version: 3\n',

  'remote_schemas.yaml': `# GraphQL services. The root fields of each service become root fields of /v1/graphql.
# Without \`permissions\`, every logged-in caller can use a service; with them, only the listed roles can.
# The gateway sends the caller's claims to the service as x-hasura-* headers.
#
# - name: orders
#   definition:
#     url: '{{ORDERS_URL}}/graphql'        # {{NAME}} is read from the environment
#     timeout_seconds: 15
#     headers:
#       - name: x-api-key
#         value_from_env: ORDERS_API_KEY
#   permissions:
#     - role: user
#       definition:
#         schema: |
#           type Query {
#             orders(tenant: Int! @preset(value: "x-hasura-tenant-id")): [Order!]!
#           }
#           type Order { id: ID! item: String! }
#
# Everything that is granted to the role \`anonymous\` is public: it requires no token, but a token that is sent is used.
# List the fields that log in, refresh or log out in \`authentication_fields\`: these fields ignore a token that is sent,
# which may have expired.
#
# - name: accounts
#   definition:
#     url: '{{ACCOUNTS_URL}}/graphql'
#     authentication_fields: [login]
#   permissions:
#     - role: anonymous
#       definition:
#         schema: |
#           type Mutation { login(name: String!, password: String!): String }
[]
`,

  'actions.yaml': `# Root fields that a webhook resolves. Their types are defined in actions.graphql.
#
# actions:
#   - name: cancelOrder
#     definition:
#       handler: '{{ORDERS_URL}}/actions/cancel-order'
#       timeout: 15
#     permissions:
#       - role: user
#
# An action that logs in needs \`authentication_field: true\` in its definition and the role \`anonymous\`.
actions: []
custom_types:
  enums: []
  input_objects: []
  objects: []
  scalars: []
`,

  'actions.graphql': `# type Mutation {
#   cancelOrder(id: ID!): CancelOrderResult
# }
#
# type CancelOrderResult {
#   id: ID!
#   status: String!
# }
`,

  'query_collections.yaml': `# Saved operations, for REST endpoints and allow lists.
#
# - name: shop
#   definition:
#     queries:
#       - name: order
#         query: |
#           query order($id: ID!) { order(id: $id) { id item } }
[]
`,

  'rest_endpoints.yaml': `# REST endpoints under /api/rest/. Each endpoint runs a saved operation.
#
# - name: order
#   url: orders/:id
#   methods: [GET]
#   definition:
#     query:
#       collection_name: shop
#       query_name: order
[]
`,

  'services.yaml': `# Plain HTTP services that the gateway exposes under a path, with the same token checks and claim headers.
#
# - name: reports
#   path: /api/reports
#   url: '{{REPORTS_URL}}'
#   permissions:
#     - role: manager
[]
`,
};
