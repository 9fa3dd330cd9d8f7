/** The files that `portico init` writes. Each is valid and has a commented example. */
export const STARTER: Readonly<Record<string, string>> = {
  'version.yaml': 'version: 3\n',

  'remote_schemas.yaml': `# Services that speak GraphQL. Each one's root fields become root fields of /v1/graphql.
# Without \`permissions\`, a service is open to every logged-in caller; with them, to exactly the roles that are listed.
# Requests go to the service with the caller's claims as x-hasura-* headers.
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
# What the role \`anonymous\` is granted is public: it needs no token, and a token that comes along counts. Fields that
# log in, refresh or log out are \`authentication_fields\`: they ignore a token that is sent, which may be expired.
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

  'actions.yaml': `# Webhooks that answer a root field. Their types stand in actions.graphql.
#
# actions:
#   - name: cancelOrder
#     definition:
#       handler: '{{ORDERS_URL}}/actions/cancel-order'
#       timeout: 15
#     permissions:
#       - role: user
#
# An action that logs in has \`authentication_field: true\` in its definition, and the role \`anonymous\`.
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

  'rest_endpoints.yaml': `# Addresses under /api/rest/ that run a saved operation.
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

  'services.yaml': `# Plain HTTP services that are passed through under a path, with the same bearer rule and claim headers.
#
# - name: reports
#   path: /api/reports
#   url: '{{REPORTS_URL}}'
#   permissions:
#     - role: manager
[]
`,
};
