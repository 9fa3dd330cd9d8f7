/**
 * A metadata directory as `hasura metadata export` writes it for a project that began with databases: every file of the
 * layout is there, the empty ones too.
 */
export const HASURA_PROJECT: Readonly<Record<string, string>> = {
  'version.yaml': 'version: 3\n',
  'actions.graphql': `type Mutation {
  login(
    arg1: LoginInput!
  ): LoginOutput
}

type Query {
  """Whether the service is up"""
  ping: String
}

input LoginInput {
  username: String!
  password: String!
}

enum Kind {
  FULL
  TRIAL
}

type LoginOutput {
  accessToken: String!
  userId: uuid!
  kind: Kind
}

scalar uuid
`,
  'actions.yaml': `actions:
  - name: login
    definition:
      kind: synchronous
      handler: '{{ACTION_BASE_URL}}/login'
      forward_client_headers: true
      headers:
        - name: X-Key
          value_from_env: ACTION_KEY
      timeout: 60
      type: mutation
    permissions:
      - role: anonymous
        comment: everybody may log in
    comment: ""
  - name: ping
    definition:
      type: query
      kind: ""
      handler: http://host.docker.internal:3000/ping
      forward_client_headers: null
    permissions: null
custom_types:
  enums:
    - name: Kind
      values:
        - description: null
          is_deprecated: null
          value: FULL
        - value: TRIAL
  input_objects:
    - name: LoginInput
  objects:
    - name: LoginOutput
      relationships:
        - field_mapping:
            userId: id
          name: user
          remote_table:
            name: users
            schema: public
          source: default
          type: object
  scalars:
    - name: uuid
`,
  'allow_list.yaml': '- collection: allowed-queries\n  scope:\n    global: true\n',
  'api_limits.yaml': '{}\n',
  'backend_configs.yaml': 'dataconnector:\n  athena:\n    uri: http://localhost:8081/api/v1/athena\n',
  'cron_triggers.yaml': `- name: nightly
  webhook: '{{ACTION_BASE_URL}}/nightly'
  schedule: 0 0 * * *
  include_in_metadata: true
  payload: {}
  comment: ""
`,
  'databases/databases.yaml': `- name: default
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: PG_DATABASE_URL
      isolation_level: read-committed
      use_prepared_statements: false
  tables: "!include default/tables/tables.yaml"
`,
  'databases/default/tables/tables.yaml': '- "!include public_users.yaml"\n',
  'databases/default/tables/public_users.yaml': 'table:\n  name: users\n  schema: public\n',
  'graphql_schema_introspection.yaml': 'disabled_for_roles: []\n',
  'inherited_roles.yaml': '[]\n',
  'metrics_config.yaml': '{}\n',
  'network.yaml': '{}\n',
  'opentelemetry.yaml': '{}\n',
  'query_collections.yaml': `- name: allowed-queries
  definition:
    queries:
      - name: orders
        query: |-
          query orders($first: Int) {
            shop { orders(first: $first) { id } }
          }
`,
  'remote_schemas.yaml': `- name: shop
  definition:
    url_from_env: SHOP_URL
    timeout_seconds: 60
    customization:
      root_fields_namespace: shop
      type_names:
        mapping: {}
        prefix: Shop
      field_names:
        - mapping:
            identifier: id
          parent_type: Order
    headers:
      - name: X-Team
        value: web
    forward_client_headers: true
  comment: ""
  permissions:
    - role: user
      comment: null
      definition:
        schema: |
          schema  { query: Query }

          type Order {
            identifier: ID
          }

          type Query {
            orders(first: Int = 10): [Order]
          }
  remote_relationships:
    - relationships:
        - definition:
            to_source:
              field_mapping:
                identifier: id
              relationship_type: object
              source: default
              table:
                name: orders
                schema: public
          name: row
      type_name: ShopOrder
- name: mail
  definition:
    url: http://127.0.0.1:1/graphql
    timeout_seconds: 60
    customization: {}
    forward_client_headers: false
  comment: null
`,
  'rest_endpoints.yaml': `- comment: ""
  definition:
    query:
      collection_name: allowed-queries
      query_name: orders
  methods:
    - GET
    - POST
  name: orders
  url: orders
`,
};
