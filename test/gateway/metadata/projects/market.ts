import type { Project } from './project.ts';

/*
 * A market place: Hasura stands in front of several teams' GraphQL services, with permissions, presets, renaming and
 * relationships between them; its own database is small. Everything that the Enterprise edition writes is there.
 */

const indent = (text: string, by: number) =>
  text
    .trim()
    .split('\n')
    .map((line) => (line ? ' '.repeat(by) + line : ''))
    .join('\n');

const BUYER = `
schema { query: query_root mutation: mutation_root }

type query_root {
  offers(where: OfferFilter, first: Int = 20): [Offer!]!
  my_orders(buyer: ID! @preset(value: "x-hasura-user-id")): [Order!]!
}

type mutation_root {
  place(order: OrderInput!): Order
}

type Offer {
  id: ID!
  title: String
  seller_id: ID!
}

type Order {
  id: ID!
  state: State
}

enum State {
  OPEN
  SENT
}

input OfferFilter {
  title: String
}

input OrderInput {
  offer: ID!
  audit: Audit
  buyer: ID @preset(value: "x-hasura-user-id")
}

input Audit {
  channel: String @preset(value: "web")
}
`;

const SELLER = `
schema { query: query_root }

type query_root {
  offers(where: OfferFilter @preset(value: { seller: "x-hasura-seller-id" })): [Offer!]!
}

type Offer {
  id: ID!
  title: String
  cost: Int
}

input OfferFilter {
  seller: ID
}
`;

const permission = (role: string, sdl: string) => `    - role: ${role}
      definition:
        schema: |-
${indent(sdl, 10)}
`;

export const MARKET: Project = {
  files: {
    'version.yaml': 'version: 3\n',
    'databases/databases.yaml': `- name: ledger
  kind: mssql
  configuration:
    connection_info:
      connection_string:
        from_env: LEDGER
  tables: []
`,
    'backend_configs.yaml': 'dataconnector:\n  sqlite:\n    uri: http://sqlite.market.test:8100\n',
    'remote_schemas.yaml': `- name: offers
  definition:
    url: '{{OFFERS_URL}}/v1/graphql'
    timeout_seconds: 30
    customization:
      type_names:
        mapping: {}
        prefix: ""
        suffix: ""
    headers:
      - name: x-hasura-admin-secret
        value_from_env: OFFERS_KEY
  comment: the offers team's own Hasura
  permissions:
${permission('buyer', BUYER)}${permission('seller', SELLER)}  remote_relationships:
    - type_name: Offer
      relationships:
        - name: seller
          definition:
            to_remote_schema:
              lhs_fields:
                - seller_id
              remote_field:
                person:
                  arguments:
                    id: $seller_id
              remote_schema: people
    - type_name: Order
      relationships:
        - name: booking
          definition:
            to_source:
              field_mapping:
                id: order_id
              relationship_type: object
              source: ledger
              table:
                name: bookings
                schema: dbo
- name: people
  definition:
    url_from_env: PEOPLE_URL
    customization:
      root_fields_namespace: people
      type_names:
        prefix: People
      field_names:
        - parent_type: Person
          mapping:
            full_name: name
  permissions:
${permission('buyer', 'type Query { person(id: ID!): Person }\ntype Person { id: ID! full_name: String }')}${permission('support', 'type Query { person(id: ID!): Person }\n\ntype Person { id: ID! full_name: String mail: String }')}`,
    'inherited_roles.yaml': `- role_name: trader
  role_set:
    - buyer
    - seller
- role_name: helpdesk
  role_set:
    - support
    - trader
- role_name: vip
  role_set:
    - buyer
`,
    'actions.graphql': 'type Mutation {\n  refund(order: ID!): Refund\n}\n\ntype Refund {\n  ok: Boolean!\n}\n',
    'actions.yaml': `actions:
  - name: refund
    definition:
      kind: synchronous
      handler: '{{REFUNDS_URL}}'
      timeout: 20
    permissions:
      - role: support
    comment: ""
custom_types:
  enums: []
  input_objects: []
  objects:
    - name: Refund
  scalars: []
`,
    'query_collections.yaml': `- name: shop
  definition:
    queries:
      - name: offers
        query: |
          query offers($title: String) @cached(ttl: 120) {
            offers(where: {title: $title}, first: 5) {
              id
              title
            }
          }
      - name: bookings
        query: query { bookings { id } }
      - name: entries
        query: query { entries { id } }
`,
    'rest_endpoints.yaml': `- comment: ""
  definition:
    query:
      collection_name: shop
      query_name: offers
  methods:
    - GET
  name: offers
  url: offers
`,
    'allow_list.yaml': '- collection: shop\n  scope:\n    global: false\n    roles:\n      - buyer\n',
    'api_limits.yaml': `depth_limit:
  global: 8
  per_role:
    support: 12
disabled: false
node_limit:
  global: 200
  per_role: {}
rate_limit:
  global:
    max_reqs_per_min: 600
    unique_params:
      - x-hasura-user-id
  per_role: {}
`,
    'graphql_schema_introspection.yaml': 'disabled_for_roles:\n  - buyer\n  - seller\n',
    'opentelemetry.yaml': `batch_span_processor:
  max_export_batch_size: 512
data_types:
  - traces
exporter_otlp:
  headers: []
  otlp_traces_endpoint: http://otel.market.test:4318/v1/traces
  protocol: http/protobuf
  resource_attributes: []
status: enabled
`,
    'metrics_config.yaml': 'analyze_query_variables: true\nanalyze_response_body: false\n',
    'network.yaml': '{}\n',
    'cron_triggers.yaml': '[]\n',
  },
  environment: {
    OFFERS_URL: 'http://127.0.0.1:1',
    OFFERS_KEY: 'key',
    PEOPLE_URL: 'http://127.0.0.1:1/graphql',
    REFUNDS_URL: 'http://127.0.0.1:1/refund',
    HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
  },
  schemas: {
    offers: `schema { query: query_root mutation: mutation_root }
      type query_root {
        offers(where: OfferFilter, first: Int = 20): [Offer!]!
        my_orders(buyer: ID!): [Order!]!
      }
      type mutation_root { place(order: OrderInput!): Order }
      type Offer { id: ID! title: String seller_id: ID! cost: Int }
      type Order { id: ID! state: State }
      enum State { OPEN SENT LOST }
      input OfferFilter { title: String seller: ID }
      input OrderInput { offer: ID! audit: Audit buyer: ID }
      input Audit { channel: String }`,
    people: 'type Query { person(id: ID!): Person } type Person { id: ID! full_name: String mail: String }',
  },
};
