import type { Project } from './project.ts';

/*
 * A clinic's application: Hasura in front of its database is the product, a few actions and one remote schema stand beside
 * it. As the CLI writes it (version 3): every file is there, tables stand in files of their own.
 */

const table = (name: string, more = '') => `table:
  name: ${name}
  schema: public
object_relationships:
  - name: patient
    using:
      foreign_key_constraint_on: patient_id
select_permissions:
  - role: nurse
    permission:
      columns: '*'
      filter:
        ward_id:
          _eq: X-Hasura-Ward-Id
    comment: ""
${more}`;

const EVENTS = `event_triggers:
  - name: visit_booked
    definition:
      enable_manual: true
      insert:
        columns: '*'
    retry_conf:
      interval_sec: 10
      num_retries: 3
      timeout_sec: 60
    webhook_from_env: VISITS_HOOK
    headers:
      - name: x-key
        value_from_env: HOOK_KEY
`;

export const CLINIC: Project = {
  files: {
    'version.yaml': 'version: 3\n',
    'databases/databases.yaml': `- name: default
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: HASURA_GRAPHQL_DATABASE_URL
      isolation_level: read-committed
      pool_settings:
        connection_lifetime: 600
        max_connections: 20
        retries: 1
      use_prepared_statements: true
  tables: "!include default/tables/tables.yaml"
  functions: "!include default/functions/functions.yaml"
`,
    'databases/default/tables/tables.yaml': ['visits', 'patients', 'wards']
      .map((name) => `- "!include public_${name}.yaml"\n`)
      .join(''),
    'databases/default/tables/public_visits.yaml': table('visits', EVENTS),
    'databases/default/tables/public_patients.yaml': table('patients'),
    'databases/default/tables/public_wards.yaml': 'table:\n  name: wards\n  schema: public\nis_enum: true\n',
    'databases/default/functions/functions.yaml': '- "!include public_search_patients.yaml"\n',
    'databases/default/functions/public_search_patients.yaml': 'function:\n  name: search_patients\n  schema: public\n',
    'actions.graphql': `type Mutation {
  bookVisit(visit: VisitInput!): VisitOutput
}

type Query {
  openHours(ward: WardKind, day: date!): [Hours!]!
}

input VisitInput {
  patientId: uuid!
  at: timestamptz!
  kind: WardKind
}

enum WardKind {
  """Children"""
  PAEDIATRIC
  SURGICAL
}

type VisitOutput {
  visitId: uuid!
}

type Hours {
  from: String!
  to: String!
}

scalar date
scalar timestamptz
scalar uuid
`,
    'actions.yaml': `actions:
  - name: bookVisit
    definition:
      kind: synchronous
      handler: '{{CLINIC_API}}'
      forward_client_headers: true
      headers:
        - name: x-key
          value_from_env: HOOK_KEY
      request_transform:
        body:
          action: transform
          template: |-
            {
              "patient": {{$body.input.visit.patientId}},
              "by": {{$body.session_variables['x-hasura-user-id']}}
            }
        method: POST
        query_params: {}
        template_engine: Kriti
        url: '{{$base_url}}/visits'
        version: 2
    permissions:
      - role: nurse
      - role: doctor
    comment: Books a visit
  - name: openHours
    definition:
      kind: ""
      handler: '{{CLINIC_API}}/hours'
    permissions:
      - role: anonymous
      - role: nurse
custom_types:
  enums:
    - name: WardKind
      values:
        - description: Children
          is_deprecated: null
          value: PAEDIATRIC
        - description: null
          is_deprecated: null
          value: SURGICAL
  input_objects:
    - name: VisitInput
  objects:
    - name: VisitOutput
      relationships:
        - field_mapping:
            visitId: id
          name: visit
          remote_table:
            name: visits
            schema: public
          source: default
          type: object
    - name: Hours
  scalars:
    - name: date
    - name: timestamptz
    - name: uuid
`,
    'remote_schemas.yaml': `- name: billing
  definition:
    url_from_env: BILLING_URL
    timeout_seconds: 60
    customization: {}
    forward_client_headers: true
  comment: ""
  remote_relationships:
    - type_name: Invoice
      relationships:
        - name: visit
          definition:
            to_source:
              field_mapping:
                visitId: id
              relationship_type: object
              source: default
              table:
                name: visits
                schema: public
        - name: ward
          definition:
            to_source:
              field_mapping:
                wardId: id
              relationship_type: object
              source: default
              table:
                name: wards
                schema: public
`,
    'query_collections.yaml': `- name: allowed-queries
  definition:
    queries:
${['visits', 'patients', 'wards']
  .map(
    (name) => `      - name: ${name}
        query: |-
          query ${name} {
            ${name} {
              id
            }
          }
`,
  )
  .join('')}      - name: invoices
        query: |-
          query invoices {
            invoices {
              id
              __typename
            }
          }
`,
    'allow_list.yaml': '- collection: allowed-queries\n  scope:\n    global: true\n',
    'rest_endpoints.yaml': '[]\n',
    'cron_triggers.yaml': `- name: remind
  webhook: '{{CLINIC_API}}/remind'
  schedule: 0 6 * * *
  include_in_metadata: true
  payload: {}
  retry_conf:
    num_retries: 0
    retry_interval_seconds: 10
    timeout_seconds: 60
    tolerance_seconds: 21600
`,
    'network.yaml':
      'tls_allowlist:\n  - host: api.clinic.test\n    permissions:\n      - self-signed\n    suffix: ""\n',
    'graphql_schema_introspection.yaml': 'disabled_for_roles: []\n',
    'inherited_roles.yaml': '[]\n',
    'api_limits.yaml': '{}\n',
    'backend_configs.yaml': '{}\n',
    'metrics_config.yaml': '{}\n',
    'opentelemetry.yaml': '{}\n',
  },
  environment: { CLINIC_API: 'http://127.0.0.1:1', HOOK_KEY: 'key', BILLING_URL: 'http://127.0.0.1:1/graphql' },
  schemas: {
    billing: 'type Query { invoices: [Invoice!]! } type Invoice { id: ID! visitId: ID wardId: ID total: Float }',
  },
};
