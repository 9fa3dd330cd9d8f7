import { createRequire } from 'node:module';
import type { PlanNode, QueryPlanner } from '@graphql-hive/router-query-planner';
import { type DocumentNode, parse, print } from 'graphql';
import { overrideLabels, resolveOverrides } from '../../supergraph/index.ts';
import { PlannerUnavailable, UnplannableOperation } from '../errors.ts';
import { withEntityRoots } from './entity-roots.ts';
import { withExactLiterals, withoutBlockStrings, withSmallNumbers } from './exact-literals.ts';
import {
  fieldNameOf,
  hasInterfaceObjects,
  withCommonProvides,
  withNamedArguments,
  withResolvedInterfaceFields,
  withSingleOwners,
} from './plannable/index.ts';
import { endlessOperations, withReentryKeys } from './reentry/index.ts';
import { withServiceOrder } from './service-order.ts';
import { SupergraphParts } from './supergraph-parts.ts';
import { sliceFor } from './supergraph-slice.ts';

/**
 * Plans one operation; undefined where there is nothing to fetch.
 * @param labels the labels of progressive overrides that are active
 */
export type PlanQuery = (
  document: string,
  operationName: string | undefined,
  labels?: ReadonlySet<string>,
) => PlanNode | undefined;

/**
 * The planner of a supergraph. One with labels of overrides has a planner for each set of active labels: the planner itself
 * would decide about `percent(5)` by a number, and what is corrected of a supergraph depends on which subgraph resolves a field.
 * @throws PlannerUnavailable where the addon does not load; whatever the addon throws for a broken supergraph
 */
export function openPlanner(supergraphSdl: string): PlanQuery {
  if (!LABEL.test(supergraphSdl)) return openResolvedPlanner(supergraphSdl);
  const known = overrideLabels(parse(supergraphSdl, { noLocation: true }));
  const opened = new Map<string, PlanQuery>();
  const planOf = (active: readonly string[]): PlanQuery => {
    const key = JSON.stringify(active);
    const resolved = () => print(resolveOverrides(parse(supergraphSdl, { noLocation: true }), new Set(active)));
    const plan = opened.get(key) ?? openResolvedPlanner(resolved());
    opened.set(key, plan);
    return plan;
  };
  planOf([]);
  return (document, operationName, labels) =>
    planOf(known.filter((label) => labels?.has(label)))(document, operationName);
}

const LABEL = /overrideLabel\s*:\s*"/;

/** The planner of a supergraph without labels. */
function openResolvedPlanner(supergraphSdl: string): PlanQuery {
  const plan = openPlannerOf(supergraphSdl);
  const isRefused = hasInterfaceObjects(supergraphSdl);
  return (document, operationName) => {
    let left = MOST_SUPERGRAPHS;
    const planOver = (sdl: string, query: PlanQuery): PlanNode | undefined => {
      try {
        return query(document, operationName);
      } catch (error) {
        const field = fieldWithoutPath(error);
        if (field === undefined) throw error;
        const slice = sliceFor(parse(document, { noLocation: true }), new SupergraphParts(sdl));
        for (const reduced of withSingleOwners(slice, field)) {
          if (left-- <= 0) break;
          try {
            return planOver(reduced, openPlannerOf(reduced));
          } catch (other) {
            if (!(other instanceof UnplannableOperation)) throw other;
          }
        }
        // The stitching engine, the fallback, fails at fields of interface objects or returns null: refuse the operation.
        throw isRefused ? unplannable(`no way to ${field} in a supergraph with interface objects`) : error;
      }
    };
    return planOver(supergraphSdl, plan);
  };
}

/** How many supergraphs with fewer owners of fields are tried for an operation. */
const MOST_SUPERGRAPHS = 12;

function fieldWithoutPath(error: unknown): string | undefined {
  const name = error instanceof UnplannableOperation ? NO_PATH.exec(String(error.cause))?.[1] : undefined;
  return name && fieldNameOf(name);
}

function openPlannerOf(supergraphSdl: string): PlanQuery {
  const { sdl, isFatal } = withReentryKeys(withResolvedInterfaceFields(withCommonProvides(supergraphSdl)));
  const isEndless = endlessOperations(sdl);
  const named = withNamedArguments(sdl);
  const ordered = withServiceOrder(named.sdl);
  const planner = plannerOf(ordered.sdl);
  return (document, operationName) => {
    try {
      if (isFatal(document)) throw new Error(KEY_NOT_SHARED);
      if (isEndless(document)) throw new Error(CHAINED_REQUIREMENTS);
      const { text, restore } = withExactLiterals(document);
      const { node } = planner.plan(text, operationName, new Set(), 0);
      return node && ordered.restore(restore(named.restore(node)));
    } catch (error) {
      throw unplannable(error);
    }
  };
}

/**
 * The planner of a supergraph `withEntityRoots`. It is opened by its first plan: it is seldom needed, and takes as much
 * memory as the other planner.
 */
export function openEntityPlanner(supergraph: () => DocumentNode): PlanQuery {
  let plan: PlanQuery | undefined;
  return (document, operationName, labels) => {
    plan ??= openPlanner(withEntityRoots(supergraph()));
    return plan(document, operationName, labels);
  };
}

function plannerOf(supergraphSdl: string): QueryPlanner {
  const Planner = loadPlanner();
  const sdl = withoutBlockStrings(supergraphSdl);
  try {
    return new Planner(sdl);
  } catch (error) {
    const readable = withSmallNumbers(sdl);
    if (readable === sdl) throw error;
    return new Planner(readable);
  }
}

/** @param cause what the planner says, which may repeat values of the document: it is kept for the log only. */
export function unplannable(cause: unknown): UnplannableOperation {
  const message = 'the operation cannot be planned over the federated services';
  return new UnplannableOperation(message, cause, PLANNERS_FAULT.test(String(cause)));
}

/** The planner's message for an operation that it finds no way to a field for, though composing has found one to each. */
const NO_PATH = /no paths found for selection item: (\w+)/i;

/** That, and its message for operations that it has found a plan for, whose fetches it then fails to build. */
const PLANNERS_FAULT = /no paths found|failed to build fetch graph/i;

/** Whether an operation was kept from the planner, which would have ended the process or would not have returned. */
export function isKeptFromPlanner({ cause }: UnplannableOperation): boolean {
  return [KEY_NOT_SHARED, CHAINED_REQUIREMENTS].some((one) => String(cause).includes(one));
}

/** Worded as the planner's failures that the stand-in answers; the thread passes on the text only. */
const KEY_NOT_SHARED = 'failed to build fetch graph: no key of a type with requirements is one of all its subgraphs';
const CHAINED_REQUIREMENTS =
  'failed to build fetch graph: requirements of fields that are selected together are chained';

function loadPlanner(): typeof QueryPlanner {
  try {
    // Not a static import: that would keep the whole gateway from starting where the addon does not load.
    return createRequire(import.meta.url)('@graphql-hive/router-query-planner').QueryPlanner;
  } catch (error) {
    throw new PlannerUnavailable(error);
  }
}
