import { type Generation, schemaChanges } from '../../../graph/index.ts';
import { introspectionOf } from '../../../graphql/schemas/index.ts';
import { describeProblem, type Metadata, type MetadataProblem } from '../../../metadata/index.ts';
import { ANY_OTHER_ROLE, type Change, checkedRoles } from '../../check/index.ts';
import { comparableSchema } from './comparable-schema.ts';
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
  /** Metadata of a form that Hasura refuses, with its place. Absent if there is none. */
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
        const before = differences.get(change.message);
        if (before) before.roles.push(role);
        else differences.set(change.message, { ...change, roles: [role] });
      }
    } catch {
      problems.push({ file: shown, message: `the role "${role}" cannot be compared: the response is not a schema` });
    }
  }
  const sorted = [...differences.values()].sort((one, two) => Number(two.breaking) - Number(one.breaking));
  const extensions = extensionsOf(generation.metadata);
  return {
    comparison: { endpoint: shown, roles, differences: sorted, ...(extensions.length > 0 && { extensions }) },
    problems,
  };
}

/** Describes the handlers that run saved operations in place of a webhook. */
function extensionsOf({ operationHandlers, place }: Metadata): readonly string[] {
  const { actions, cronTriggers, deliveries } = operationHandlers;
  return [actions, cronTriggers, deliveries].flatMap((ofKind) =>
    [...ofKind.values()].map(({ kind, name, path }) =>
      describeProblem({
        ...place(kind, path),
        message: `the handler of "${name}" runs saved operations, which Hasura does not support`,
      }),
    ),
  );
}
