import { type Generation, schemaChanges } from '../../../graph/index.ts';
import { introspectionOf } from '../../../graphql/schemas/index.ts';
import type { MetadataProblem } from '../../../metadata/index.ts';
import { ANY_OTHER_ROLE, type Change, checkedRoles } from '../../check/index.ts';

import { comparableSchema } from './comparable-schema.ts';
import { extensionsOf } from './extensions.ts';
import { endpointOf, type HasuraServer, introspectHasura } from './introspect-hasura.ts';

/** The differences between the schemas that clients see in Portico and in a Hasura server. */
export interface HasuraComparison {
  /** The address of the server's GraphQL endpoint. */
  readonly endpoint: string;
  readonly roles: readonly {
    readonly role: string;
    /** The number of differences for the role. */
    readonly differences: number;
    /**
     * Types of the database's tables, views and functions, which are not compared, and the number of fields with these types.
     */
    readonly tables: readonly string[];
    readonly tableFields: number;
  }[];
  /** The changes for clients that move from Hasura, breaking ones first. */
  readonly differences: readonly Change[];
  /** What the metadata has and Hasura does not, with file and line. Absent if there is nothing. */
  readonly extensions?: readonly string[];
}

/** Compares each role's schema with that of a running Hasura server. Roles that cannot be compared are reported as problems. */
export async function compareWithHasura(
  generation: Generation,
  publicRole: string,
  server: HasuraServer,
): Promise<{ comparison: HasuraComparison; problems: readonly MetadataProblem[] }> {
  const endpoint = endpointOf(server.url);
  if (!endpoint) {
    const message = 'is not an http or https URL of a Hasura without credentials';
    return { comparison: { endpoint: '', roles: [], differences: [] }, problems: [{ file: '--hasura', message }] };
  }
  const shown = endpoint.origin + endpoint.pathname;
  const problems: MetadataProblem[] = [];
  const roles: HasuraComparison['roles'][number][] = [];
  const extensionOf = extensionsIn(generation);
  const differences = new Map<string, Change & { roles: string[] }>();
  for (const role of checkedRoles([generation.metadata], publicRole)) {
    const graph = generation.graphIfValid(role);
    if (role === ANY_OTHER_ROLE || !graph) continue;
    const answer = await introspectHasura(endpoint, server, role);
    if ('problem' in answer) {
      problems.push({ file: shown, message: `the role "${role}" cannot be compared: ${answer.problem}` });
      continue;
    }
    const own = introspectionOf(graph.schema, { descriptions: false });
    const known = new Set(own.__schema.types.map(({ name }) => name));
    const ours = comparableSchema(own, known);
    try {
      const theirs = comparableSchema(answer.introspection, known);
      const found = await schemaChanges(theirs.schema, ours.schema);
      roles.push({
        role,
        differences: found.length,
        tables: theirs.tables,
        tableFields: theirs.tableFields.length,
      });
      for (const change of found) {
        const message = change.message + extensionOf(change.message);
        const before = differences.get(message);
        if (before) before.roles.push(role);
        else differences.set(message, { ...change, message, roles: [role] });
      }
    } catch {
      problems.push({ file: shown, message: `the role "${role}" cannot be compared: the response is not a schema` });
    }
  }
  const sorted = [...differences.values()].sort((one, two) => Number(two.breaking) - Number(one.breaking));
  const extensions = extensionsOf(generation.metadata);
  const comparison = { endpoint: shown, roles, differences: sorted, ...(extensions.length > 0 && { extensions }) };
  return { comparison, problems };
}

/** Returns the ending of a difference that an extension of Portico causes. Hasura has every query action as a root field. */
function extensionsIn({ metadata }: Generation): (message: string) => string {
  const endings = new Map<string, string>();
  for (const [action, { type, name }] of metadata.actionTypes.typeFields) {
    const ending = ` (an extension of Portico: "field" of the action "${action}")`;
    endings.set(`Field '${name}' was added to object type '${type}'`, ending);
    endings.set(`Field '${action}' was removed from object type 'Query'`, ending);
  }
  return (message) => endings.get(message) ?? '';
}
