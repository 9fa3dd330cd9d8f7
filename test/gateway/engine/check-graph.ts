import { execute, parse } from 'graphql';
import { wrongInOutage } from '../generated/answer-in-outage.ts';
import type { GeneratedOperation } from '../generated/operations.ts';
import { differenceOf } from '../generated/same-answer.ts';
import { hashOf } from '../generated/supergraphs/random.ts';
import { type OpenedGraph, operationsOf } from './generated-graph.ts';
import { costOf, type GraphCosts, type OperationCost } from './operation-costs.ts';
import { OUTAGES } from './outage.ts';
import { type EngineResult, NotAnswered } from './product-engine.ts';

/** What may be wrong with an operation, the worst first. */
export type FindingKind =
  | 'never answered'
  | 'internal error'
  | 'wrong answer'
  | 'rejected by a service'
  | 'mutations in another order'
  | 'lost in an outage'
  | 'not planned';

export interface Finding {
  readonly seed: number;
  /** The number of the operation. */
  readonly op: number;
  readonly kind: FindingKind;
  readonly operation: GeneratedOperation;
  readonly detail: unknown;
}

export interface CheckedGraph {
  readonly findings: readonly Finding[];
  readonly costs: GraphCosts;
}

/** Compares the answers of an engine with those of graphql-js: with all services, with fields that fail, with a service that fails. */
export async function checkGraph(graph: OpenedGraph, count: number): Promise<CheckedGraph> {
  const { seed } = graph;
  const findings: Finding[] = [];
  const costs: (OperationCost | undefined)[] = [];
  const all = operationsOf(graph, count);
  for (const [op, operation] of all.entries()) {
    const found = await checkOperation(graph, operation);
    if ('kind' in found) findings.push({ seed, op, operation, ...found });
    costs.push('kind' in found ? undefined : costOf(found));
  }
  return { findings, costs: { graph: String(seed), texts: all.map(({ text }) => text), costs } };
}

type Problem = Pick<Finding, 'kind' | 'detail'>;

/** @returns what is wrong, or how the operation was answered with all services */
export async function checkOperation(
  graph: OpenedGraph,
  operation: GeneratedOperation,
): Promise<Problem | EngineResult> {
  try {
    graph.services.values.faults = 0;
    const answered = await checkAnswer(graph, operation);
    if ('kind' in answered) return answered;
    graph.services.values.faults = 1 + hashOf(operation.text);
    const withFaults = await checkAnswer(graph, operation);
    if ('kind' in withFaults) return withFaults;
    graph.services.values.faults = 0;
    return (await checkOutages(graph, operation, answered)) ?? answered;
  } catch (error) {
    if (error instanceof NotAnswered) return { kind: 'never answered', detail: error.message };
    return { kind: 'internal error', detail: error instanceof Error ? (error.stack ?? error.message) : error };
  }
}

async function checkAnswer(
  { engine, services, reference }: OpenedGraph,
  { text, variables }: GeneratedOperation,
): Promise<Problem | EngineResult> {
  const document = parse(text);
  const expected = await reference.answer(document, variables);
  services.mutations.length = 0;
  await execute({ schema: reference.schema, document, variableValues: variables });
  const mutations = [...services.mutations];
  services.mutations.length = 0;
  services.refused.length = 0;
  const answer = await engine.run(text, variables);
  if (answer.data === undefined) return { kind: 'not planned', detail: answer.errors };
  const { refused } = services;
  const difference = differenceOf(answer, expected);
  const detail = { ...difference, errors: answer.errors, refused: [...refused], calls: answer.calls };
  if (refused.length > 0) return { kind: 'rejected by a service', detail };
  if (difference) return { kind: 'wrong answer', detail };
  // After an error that leaves no data it does not matter whether the next mutations run.
  const ran = expected.data === null ? services.mutations.slice(0, mutations.length) : services.mutations;
  if (JSON.stringify(ran) !== JSON.stringify(mutations))
    return { kind: 'mutations in another order', detail: { mutations, ran } };
  return answer;
}

/** One service fails in each way, and one that was not asked before, which must not matter. */
async function checkOutages(
  graph: OpenedGraph,
  { text, variables }: GeneratedOperation,
  whole: EngineResult,
): Promise<Problem | undefined> {
  const asked = new Set(whole.calls.map(({ service }) => service));
  const names = graph.services.model.graphs;
  const failing = [...asked][hashOf(text) % Math.max(1, asked.size)];
  const others = names.filter((name) => !asked.has(name));
  for (const service of [failing, others[0]])
    for (const kind of service === undefined || !asked.has(service) ? OUTAGES.slice(0, 1) : OUTAGES) {
      if (service === undefined) continue;
      graph.outage = { service, kind };
      const answer = await graph.engine.run(text, variables).finally(() => {
        graph.outage = undefined;
      });
      const detail = { outage: { service, kind }, data: answer.data, expected: whole.data, errors: answer.errors };
      const isAsked = asked.has(service);
      if (!isAsked && JSON.stringify(answer.data) !== JSON.stringify(whole.data))
        return { kind: 'lost in an outage', detail };
      const wrong = wrongInOutage(answer, whole.data, kind === 'no-entities');
      if (wrong.length > 0) return { kind: 'lost in an outage', detail: { wrong, ...detail } };
    }
  return undefined;
}
