import { parse } from 'graphql';
// Not by the door: the thread has no use for the rest of the platform, and would keep it in memory.
import { answerQuestions } from '../../platform/asked-thread.ts';
import { openEntityPlanner } from './entity-planner.ts';
import { PlannerUnavailable, UnplannableOperation } from './errors.ts';
import { openPlanner } from './planner.ts';
import type { PlanAnswer, PlannerReady, PlanQuestion } from './planner-thread.ts';

await answerQuestions(async (supergraphSdl: string) => {
  const opened = open(supergraphSdl);
  if ('unavailable' in opened) return { ready: opened satisfies PlannerReady, answer: () => undefined };
  return {
    ready: {} satisfies PlannerReady,
    answer: ({ document, operationName, labels, planner }: PlanQuestion): PlanAnswer => {
      try {
        return { node: opened[planner](document, operationName, labels) };
      } catch (error) {
        if (error instanceof UnplannableOperation) return { unplannable: String(error.cause) };
        throw error;
      }
    },
  };
});

function open(supergraphSdl: string) {
  try {
    const plan = openPlanner(supergraphSdl);
    return { plan, planEntities: openEntityPlanner(() => parse(supergraphSdl, { noLocation: true })) };
  } catch (error) {
    if (error instanceof PlannerUnavailable) return { unavailable: String(error.cause) };
    throw error;
  }
}
