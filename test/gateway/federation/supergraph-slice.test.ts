import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Kind, parse, print, type SelectionNode, type SelectionSetNode, visit } from 'graphql';
import {
  FederatedGraph,
  openPlanner,
  type PlanQuery,
  UnplannableOperation,
} from '../../../gateway/federation/index.ts';
import { withEntityRoots } from '../../../gateway/federation/plan/entity-roots.ts';
import { SlicedPlanner } from '../../../gateway/federation/plan/sliced-planner.ts';
import { operations } from '../generated/operations.ts';
import { openLibrary } from './library.ts';

const RUNS = Number(process.env.FEDERATION_RUNS ?? 300);
const VALUES = { id: ['i1', 'i3'], Int: [1, 2, 3], String: ['x', ''] };
const library = await openLibrary();
afterAll(() => library.close());

/** A plan with what stands side by side in an order of its own: the planner's differs from one opening to the next. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    return items.every((item) => typeof item === 'string') ? items.sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (name === 'operation' && typeof member === 'string') return [name, inOrder(member)];
    if (name === 'nodes' && 'kind' in value && value.kind === 'Parallel')
      return [name, (sorted(member) as unknown[]).sort(byText)];
    if (name === 'requires') return [name, (sorted(member) as unknown[]).sort(byText)];
    return [name, sorted(member)];
  });
  return Object.fromEntries(members);
}

function inOrder(operation: string): string {
  const bySelection = (one: SelectionNode, other: SelectionNode) => byText(print(one), print(other));
  const sortedSet = (set: SelectionSetNode) => ({ ...set, selections: [...set.selections].sort(bySelection) });
  return print(visit(parse(operation), { [Kind.SELECTION_SET]: { leave: sortedSet } }));
}

function byText(one: unknown, other: unknown): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)];
  return a < b ? -1 : Number(a > b);
}

/** Plans as `plan`, and expects of slices that they say the same. */
function comparing(plan: PlanQuery, sliced: PlanQuery): PlanQuery {
  return (text, name, labels) => {
    const outcome = (one: PlanQuery) => {
      try {
        return { node: one(text, name, labels) };
      } catch (error) {
        return { error };
      }
    };
    const expected = outcome(plan);
    const found = outcome(sliced);
    const comparable = ({ node, error }: { node?: unknown; error?: unknown }) =>
      error instanceof Error ? { message: error.message } : sorted(node);
    expect({ text, found: comparable(found) }).toEqual({ text, found: comparable(expected) });
    if ('error' in expected) throw expected.error;
    return expected.node;
  };
}

test(
  'operations are planned over slices of the supergraph as over all of it',
  () => {
    const { supergraphSdl } = library;
    const sliced = new SlicedPlanner(supergraphSdl);
    const entities = openPlanner(withEntityRoots(parse(supergraphSdl)));
    const graph = new FederatedGraph<undefined>({
      supergraphSdl,
      plan: comparing(openPlanner(supergraphSdl), sliced.plan),
      planEntities: comparing(entities, sliced.planEntities),
      send: () => {
        throw new Error('nothing is sent');
      },
    });
    fc.assert(
      fc.property(operations({ schema: graph.publicSchema, values: VALUES }), ({ text, variables }) => {
        try {
          graph.prepare(text).relay(variables);
        } catch (error) {
          if (!(error instanceof UnplannableOperation)) throw error;
        }
      }),
      { numRuns: RUNS },
    );
  },
  10_000 + RUNS * 100,
);

test('an operation over too many types for a slice is planned over the whole supergraph', () => {
  const { supergraphSdl } = library;
  const text = '{ items { id title } }';
  const entity = '{ portico_entity__Book { title } }';
  const plan = openPlanner(supergraphSdl);
  const planEntities = openPlanner(withEntityRoots(parse(supergraphSdl)));
  for (const options of [{ sliceCharacters: 0 }, { sliceTypes: 0 }, {}]) {
    const sliced = new SlicedPlanner(supergraphSdl, options);
    expect(sorted(sliced.plan(text, undefined))).toEqual(sorted(plan(text, undefined)));
    expect(sorted(sliced.planEntities(entity, undefined))).toEqual(sorted(planEntities(entity, undefined)));
  }
});

test('the planner of the whole supergraph is kept while operations need it, and closed after', async () => {
  const { supergraphSdl } = library;
  const text = '{ items { id title } }';
  const entity = '{ portico_entity__Book { title } }';
  let closed = () => {};
  const closing = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const sliced = new SlicedPlanner(supergraphSdl, { sliceCharacters: 0, wholeIdleMs: 1 }, () => closed());
  const plan = () => [sorted(sliced.plan(text, undefined)), sorted(sliced.planEntities(entity, undefined))];
  const first = plan();
  const opened = sliced.openedCharacters;
  expect(plan()).toEqual(first);
  expect(sliced.openedCharacters).toBe(opened);

  await closing;
  expect(plan()).toEqual(first);
  expect(sliced.openedCharacters).toBeGreaterThan(opened);
});

test('supergraphs by their definitions are those of one text', () => {
  const { supergraphSdl } = library;
  const definitions = parse(supergraphSdl).definitions.map((definition) => print(definition));
  const text = '{ items { id title } }';
  const plans = [definitions, supergraphSdl].map((given) => new SlicedPlanner(given).plan(text, undefined));
  expect(sorted(plans[0])).toEqual(sorted(plans[1]));
});
