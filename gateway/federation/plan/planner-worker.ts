import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
// Not from its `index.ts`: the thread has no use for the rest of the platform, and would keep it in memory.
import { serveCalls } from '../../../platform/worker-rpc.ts';
import { PlannerUnavailable, UnplannableOperation } from '../errors.ts';
import type { PlannerData, PlannerReady, PlanRequest, PlanResponse } from './planner-messages.ts';
import { SlicedPlanner } from './sliced-planner.ts';

/** Planners of so many characters of SDL, of some 100 bytes each, may wait to be collected as garbage. */
const COLLECTED_AFTER = 200_000;

const collectGarbage = openCollector();
let collected = 0;

await serveCalls(async (data: PlannerData) => {
  const opened = openSlicedPlanner(data);
  if ('unavailable' in opened) return { ready: opened satisfies PlannerReady, handle: () => undefined };
  return {
    ready: {} satisfies PlannerReady,
    handle: ({ document, operationName, labels, planner }: PlanRequest): PlanResponse => {
      try {
        return { node: opened[planner](document, operationName, labels) };
      } catch (error) {
        if (error instanceof UnplannableOperation) return { unplannable: String(error.cause) };
        throw error;
      } finally {
        collectLater(opened);
      }
    },
  };
});

function openSlicedPlanner({ supergraph, slices }: PlannerData): SlicedPlanner | { readonly unavailable: string } {
  try {
    return new SlicedPlanner(supergraph, slices, collectGarbage);
  } catch (error) {
    if (error instanceof PlannerUnavailable) return { unavailable: String(error.cause) };
    throw error;
  }
}

/** The engine does not know how much memory planners take, and would let thousands of them lie around. */
function collectLater(planner: SlicedPlanner): void {
  if (planner.openedCharacters < collected + COLLECTED_AFTER) return;
  collected = planner.openedCharacters;
  setImmediate(collectGarbage);
}

function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
