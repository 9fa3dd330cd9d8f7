import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ExecutionResult, parse, validate } from 'graphql';
import { createSession } from '../../../gateway/access/session/index.ts';
import type { RoleGraph } from '../../../gateway/graph/generation/role-graph.ts';
import { LiveGraph } from '../../../gateway/graph/index.ts';
import { fragmentsOf } from '../../../gateway/graphql/syntax/index.ts';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import { DocumentCache } from '../../../gateway/pipeline/document/documents.ts';
import { withFragments } from '../../../gateway/pipeline/document/sub-operation.ts';
import type { Plan } from '../../../gateway/pipeline/plan/operation-plan.ts';
import { joinedPlan, planOf } from '../../../gateway/pipeline/plan/plan.ts';
import { executionErrors } from '../../../gateway/pipeline/response/errors.ts';
import type { OperationContext } from '../../../gateway/sources/index.ts';
import { openUpstreamHttp, PassthroughBody } from '../../../gateway/upstream/index.ts';
import { Cancellation, createLogger } from '../../../platform/index.ts';
import { operations } from '../generated/operations.ts';
import { keeper, until, writeMetadata } from '../harness/index.ts';
import { CUSTOMIZATION, NO_NAME, ROLES, roleService, VALUES } from './role-plans-world.ts';

const { keep, close } = keeper();
afterAll(close);
const log = createLogger('test', 'silent', { write: () => {} });
const RUNS = Number(process.env.ROLE_PLANS_RUNS ?? 40);

const NAMES = {
  'the names that the service has': {},
  'names of our own': CUSTOMIZATION,
  'a namespace': { root_fields_namespace: 'shop' },
  'a namespace with names of our own': { root_fields_namespace: 'shop', ...CUSTOMIZATION },
} as const;
const graphs = new Map<string, RoleGraph>();

beforeAll(async () => {
  const service = await keep(roleService());
  const rooted = await keep(roleService('query_root', 'mutation_root'));
  const http = await keep(openUpstreamHttp());
  for (const [names, customization] of Object.entries(NAMES))
    for (const { graphqlUrl } of [service, rooted]) {
      const permissions = Object.entries(ROLES).map(([role, schema]) => ({ role, definition: { schema } }));
      const own =
        graphqlUrl === rooted.graphqlUrl ? JSON.stringify(customization).replace('"Query"', '"query_root"') : undefined;
      const definition = { url: graphqlUrl, customization: own === undefined ? customization : JSON.parse(own) };
      const metadata = writeMetadata({ 'remote_schemas.yaml': [{ name: 'shop', definition, permissions }] });
      await keep(metadata);
      const live = new LiveGraph(
        loadMetadata(metadata.directory),
        { environment: {}, http, publicRole: 'anonymous' },
        log,
      );
      await keep({ close: () => live.stop() });
      live.start();
      await until('the source is open', () => live.ready);
      for (const role of Object.keys(ROLES))
        graphs.set(`${role} ${names}${own === undefined ? '' : ' at other roots'}`, live.current.graphOf(role));
    }
});

function answer(plan: Plan, text: string, variables: Readonly<Record<string, unknown>>): Promise<ExecutionResult> {
  const context: OperationContext = {
    session: createSession('user', { 'x-hasura-tenant-id': '7', 'x-hasura-tags': '{a,"b c"}' }),
    requestId: 'generated',
    clientAddress: '127.0.0.1',
    clientHeaders: {},
    query: text,
    cancellation: new Cancellation(),
    log,
    http: { headers: {}, cookies: [] },
  };
  return new Promise((resolve) =>
    plan.run(variables, context, (given) =>
      resolve(given instanceof PassthroughBody ? (given.toJson() as ExecutionResult) : given),
    ),
  );
}

/**
 * What a client sees of errors, in an order of its own. Of what is null as a whole, each plan tells the reasons that it had
 * come across by then: only where it is counts.
 */
const told = ({ data, errors = [] }: ExecutionResult) => {
  const all = errors
    .flatMap((error) => executionErrors(error, log))
    .map(({ message, path = [], extensions }) => {
      const at = nullAt(data, path);
      return JSON.stringify(at < path.length ? { within: path.slice(0, at) } : { path, message, extensions });
    });
  return [...new Set(all)].sort();
};

/** How much of a path leads to the first null. */
function nullAt(data: unknown, path: readonly (string | number)[]): number {
  let value = data;
  for (const [index, segment] of path.entries()) {
    if (value === null || value === undefined) return index;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return path.length;
}

async function compare(which: string, kind: 'query' | 'mutation', runs: number): Promise<readonly string[]> {
  const kinds = new Set<string>();
  const isNarrowed = !which.startsWith('preset');
  const graph = graphs.get(which);
  if (!graph) throw new Error(`no graph: ${which}`);
  await fc.assert(
    fc.asyncProperty(
      operations({ schema: graph.schema, kind, values: VALUES, depth: 3 }),
      async ({ text, variables }) => {
        expect(validate(graph.schema, parse(text))).toEqual([]);
        const document = new DocumentCache(100_000).get(text);
        const [operation] = document.operations;
        if (!operation) throw new Error('no operation');
        const fragments = fragmentsOf(document.node);
        const plan = planOf(operation, fragments, graph);
        kinds.add(plan.kind);
        const joined = joinedPlan(withFragments(operation, fragments), graph);
        const [one, other] = [await answer(plan, text, variables), await answer(joined, text, variables)];
        // Texts, so that the order of the response keys counts.
        expect([JSON.stringify(one.data), text]).toEqual([JSON.stringify(other.data), text]);
        expect([told(one), text]).toEqual([told(other), text]);
        // Errors in objects that the role does not see would disclose that these exist.
        const ofHidden = (one.errors ?? []).filter(
          ({ message, path = [] }) => message === NO_NAME && nullAt(one.data, path.slice(0, -2)) === path.length - 2,
        );
        if (isNarrowed) expect([ofHidden, text]).toEqual([[], text]);
      },
    ),
    { numRuns: runs, interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true },
  );
  return [...kinds].sort();
}

const ALL = Object.keys(ROLES).flatMap((role) =>
  Object.keys(NAMES).flatMap((names) => [`${role} ${names}`, `${role} ${names} at other roots`]),
);

describe('an operation of a role is answered as the plan over the whole graph does, and is forwarded', () => {
  test.each(ALL)('%s', async (which) => {
    const kinds = await compare(which, 'query', RUNS);
    expect(kinds).not.toContain('join');
    expect(kinds).toContain('forward');
    await compare(which, 'mutation', RUNS / 2);
  });
});
