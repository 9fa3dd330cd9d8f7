import type { Project } from './project.ts';

/*
 * An old project that was never upgraded: the layout of version 2, with tables and functions in files of their own at the
 * top, actions as older consoles wrote them, a scheduled trigger, and an allow list without scopes.
 */

export const ARCHIVE: Project = {
  files: {
    'version.yaml': 'version: 2\n',
    'tables.yaml': `- table:
    schema: public
    name: papers
  array_relationships:
  - name: copies
    using:
      foreign_key_constraint_on:
        column: paper_id
        table:
          schema: public
          name: copies
  remote_relationships:
  - definition:
      hasura_fields:
      - doi
      remote_field:
        paper:
          arguments:
            doi: $doi
      remote_schema: papers
    name: details
  event_triggers:
  - name: paper_added
    definition:
      enable_manual: false
      insert:
        columns: '*'
    retry_conf:
      interval_sec: 10
      num_retries: 0
      timeout_sec: 60
    webhook: '{{ARCHIVE_API}}/added'
- table:
    schema: public
    name: copies
`,
    'functions.yaml': '- function:\n    schema: public\n    name: search_papers\n',
    'actions.graphql':
      'type Query {\n  cite (\n    doi: String!\n  ): Citation\n}\n\n\ntype Citation {\n  text : String!\n}\n\n',
    'actions.yaml': `actions:
- name: cite
  definition:
    kind: ""
    handler: '{{ARCHIVE_API}}/cite'
    forward_client_headers: true
  permissions:
  - role: reader
  - role: editor
custom_types:
  enums: []
  input_objects: []
  objects:
  - name: Citation
  scalars: []
`,
    'remote_schemas.yaml': `- name: papers
  definition:
    url: '{{PAPERS_URL}}'
    timeout_seconds: 60
    forward_client_headers: true
`,
    'query_collections.yaml': `- name: allowed-queries
  definition:
    queries:
    - name: paper
      query: |-
        query paper ($doi: String!) {
          paper (doi: $doi) {
            title
          }
        }
    - name: copies
      query: '{ copies { id } }'
`,
    'allow_list.yaml': '- collection: allowed-queries\n',
    'cron_triggers.yaml':
      '- name: tidy\n  webhook: "{{ARCHIVE_API}}/tidy"\n  schedule: 0 3 * * *\n  include_in_metadata: true\n',
  },
  environment: { ARCHIVE_API: 'http://127.0.0.1:1', PAPERS_URL: 'http://127.0.0.1:1/graphql' },
  schemas: { papers: 'type Query { paper(doi: String!): Paper } type Paper { doi: String! title: String }' },
};
