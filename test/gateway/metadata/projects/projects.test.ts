import { afterAll, describe, expect, test } from '@jest/globals';
import { textOf } from '../../cli/run-check.ts';
import { keeper } from '../../harness/index.ts';
import { metadataDirectory } from '../../harness/metadata-directory.ts';
import { ARCHIVE } from './archive.ts';
import { CLINIC } from './clinic.ts';
import { MARKET } from './market.ts';
import type { Project } from './project.ts';

const { keep, close } = keeper();
afterAll(close);

/** What the check says to the project's owner. */
async function summaryOf({ files, environment, schemas }: Project): Promise<readonly string[]> {
  const { path: location } = await keep(metadataDirectory(files));
  const recorded = Object.entries(schemas).map(([name, sdl]) => [`${name}.graphql`, sdl] as const);
  const { path } = await keep(metadataDirectory(Object.fromEntries(recorded)));
  const { text } = await textOf({ location, environment, schemas: path });
  return text.split('\n');
}

describe('the metadata of a project loads, with a summary of what is used, what is not, and why', () => {
  test('an application around a database', async () => {
    expect(await summaryOf(CLINIC)).toEqual([
      'warning: query_collections.yaml:4 [0].definition.queries[0]: 3 saved operations request fields that no service has, such as fields of databases, and are ignored: "visits", "patients", "wards"',
      'ignored: databases: databases, tables, event triggers: Portico does not connect to databases; the services own the data',
      'ignored: network.yaml: TLS settings: certificates of services are always verified; use NODE_EXTRA_CA_CERTS to add authorities',
      'ignored: remote_schemas.yaml:11 [0].remote_relationships[0].relationships[0]: a relationship to a database: Portico does not connect to databases; the services own the data (and 1 more in this file)',
      'ignored: actions.yaml:49 custom_types.objects[0].relationships[0]: a relationship to a database: Portico does not connect to databases; the services own the data',
      'ignored: cron_triggers.yaml: cron triggers: a database for jobs is required: set HASURA_GRAPHQL_METADATA_DATABASE_URL',
      'ignored: allow_list.yaml: the allow list: HASURA_GRAPHQL_ENABLE_ALLOWLIST is not true',
      'sources: actions (actions), billing (remote-schema)',
      'role admin: query openHours, query invoices, mutation bookVisit',
      'role anonymous: query openHours',
      'role nurse: query openHours, query invoices, mutation bookVisit',
      'role doctor: query invoices, mutation bookVisit',
      'role * (any other role in a token): query invoices',
      'authentication fields: none',
      'operation allowed-queries/visits: no role',
      'operation allowed-queries/patients: no role',
      'operation allowed-queries/wards: no role',
      'operation allowed-queries/invoices: admin, nurse, doctor, *',
      'the metadata is valid',
    ]);
  });

  test('a graph of several services', async () => {
    expect(await summaryOf(MARKET)).toEqual([
      'warning: inherited_roles.yaml:2 [0].role_set: "trader" sees nothing of the remote schema "offers": its roles "buyer" and "seller" have different permissions there; give the role its own permission to resolve this',
      'warning: inherited_roles.yaml:6 [1].role_set: "helpdesk" sees nothing of the remote schema "offers" because the roles of its role "trader" have different permissions there',
      'warning: inherited_roles.yaml:6 [1].role_set: "helpdesk" sees nothing of the remote schema "people": its roles "support" and "trader" have different permissions there; give the role its own permission to resolve this',
      'warning: query_collections.yaml:12 [0].definition.queries[1]: 2 saved operations request fields that no service has, such as fields of databases, and are ignored: "bookings", "entries"',
      'ignored: backend_configs.yaml: data connectors: Portico does not connect to databases; the services own the data',
      'ignored: databases: databases, tables, event triggers: Portico does not connect to databases; the services own the data',
      'ignored: metrics_config.yaml: metrics settings: metrics are served on PORTICO_METRICS_PORT',
      expect.stringMatching(
        /^ignored: remote_schemas\.yaml:\d+ \[0\]\.remote_relationships\[1\]\.relationships\[0\]: a relationship to a database: /,
      ),
      'ignored: allow_list.yaml: the allow list: HASURA_GRAPHQL_ENABLE_ALLOWLIST is not true',
      'sources: actions (actions), offers (remote-schema), people (remote-schema)',
      'role admin: query offers, query my_orders, query people, mutation refund, mutation place',
      'role anonymous: nothing',
      'role buyer: query offers, query my_orders, query people, mutation place',
      'role seller: query offers',
      'role vip: query offers, query my_orders, query people, mutation place',
      'role support: query people, mutation refund',
      'role trader: query people',
      'role helpdesk: mutation refund',
      'role * (any other role in a token): nothing',
      'authentication fields: none',
      'operation shop/offers: admin, buyer, vip',
      'operation shop/bookings: no role',
      'operation shop/entries: no role',
      'the metadata is valid',
    ]);
  });

  test('a project of the older layout', async () => {
    expect(await summaryOf(ARCHIVE)).toEqual([
      expect.stringMatching(
        /^warning: query_collections\.yaml:\d+ .*: "copies" is not valid for any role: Cannot query field "copies"/,
      ),
      'ignored: functions.yaml: functions of databases: Portico does not connect to databases; the services own the data',
      'ignored: tables.yaml: databases, tables, event triggers: Portico does not connect to databases; the services own the data',
      'ignored: cron_triggers.yaml: cron triggers: a database for jobs is required: set HASURA_GRAPHQL_METADATA_DATABASE_URL',
      'ignored: allow_list.yaml: the allow list: HASURA_GRAPHQL_ENABLE_ALLOWLIST is not true',
      'sources: actions (actions), papers (remote-schema)',
      'role admin: query cite, query paper',
      'role anonymous: nothing',
      'role reader: query cite, query paper',
      'role editor: query cite, query paper',
      'role * (any other role in a token): query paper',
      'authentication fields: none',
      'operation allowed-queries/paper: admin, reader, editor, *',
      'operation allowed-queries/copies: no role',
      'the metadata is valid',
    ]);
  });
});
