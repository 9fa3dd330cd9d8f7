import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { FIXED_SEED, SEED } from '../../seed.ts';
import { checkGraph, type Finding } from './check-graph.ts';
import { modelOf, NOT_OPENED, openGraph } from './generated-graph.ts';
import { type GraphCosts, higherCosts } from './operation-costs.ts';
import { openProductEngine } from './product-engine.ts';
import { describeReduced } from './reduce-finding.ts';

const DEFAULT_RUNS = 200;
const DEFAULT_OPERATIONS = 6;
/**
 * Graphs that are checked. A long run: `FEDERATION_RUNS=5000`, of others `TEST_SEED=random`. `TEST_SEED=… FEDERATION_RUNS=1` shows
 * what is wrong with one, over as few subgraphs and fields as possible.
 */
const RUNS = Number(process.env.FEDERATION_RUNS ?? DEFAULT_RUNS);
/** For each graph. */
const OPERATIONS = Number(process.env.FEDERATION_OPERATIONS ?? DEFAULT_OPERATIONS);
/** A file for what is found and what operations cost. */
const REPORT = process.env.FEDERATION_REPORT;
/** Tried for each graph that composes. */
const MOST_SEEDS = 30;

test(
  'generated subgraphs that check what they are sent are answered as graphql-js answers over one schema',
  async () => {
    const findings: Finding[] = [];
    const costs: GraphCosts[] = [];
    const discarded = new Map<string, number>();
    const notOpened: string[] = [];
    let [checked, operations] = [0, 0];
    for (let seed = SEED; checked < RUNS && seed < SEED + RUNS * MOST_SEEDS; seed++) {
      // An engine may end the process.
      if (REPORT) writeFileSync(REPORT, JSON.stringify({ running: seed }));
      const graph = await openGraph(seed, modelOf(seed), openProductEngine);
      if (typeof graph === 'string') {
        const code = graph.split(':')[0] ?? '';
        discarded.set(code, (discarded.get(code) ?? 0) + 1);
        if (code === NOT_OPENED) notOpened.push(`${seed}: ${graph}`);
        continue;
      }
      checked += 1;
      const found = await checkGraph(graph, OPERATIONS);
      graph.engine.close();
      operations += found.costs.texts.length;
      findings.push(...found.findings);
      costs.push(found.costs);
    }
    const kinds: Record<string, number> = {};
    for (const { kind } of findings) kinds[kind] = (kinds[kind] ?? 0) + 1;
    const summary = { checked, discarded: Object.fromEntries(discarded), operations, findings: kinds };
    if (REPORT)
      writeFileSync(
        REPORT,
        JSON.stringify({ summary, notOpened, costs: costs.flatMap(costLines), findings }, undefined, 1),
      );
    process.stderr.write(`generated graphs: ${JSON.stringify(summary)}\n`);
    // One graph is looked at for what is wrong with it.
    if (RUNS === 1 && notOpened[0]) throw new Error(notOpened[0]);
    if (RUNS === 1 && findings[0]) throw new Error(await describeReduced(findings[0], openProductEngine));
    expect(checked).toBe(RUNS);
    const isUsual = SEED === FIXED_SEED && RUNS === DEFAULT_RUNS && OPERATIONS === DEFAULT_OPERATIONS;
    if (isUsual) {
      expect(higherCosts('generated', costs)).toEqual([]);
    }
    expect(notOpened).toEqual([]);
    expect(findings).toEqual([]);
  },
  // What is wrong with one graph takes long to reduce.
  RUNS === 1 ? 3_600_000 : 120_000 + RUNS * 10_000,
);

function costLines({ graph, costs }: GraphCosts): object[] {
  return costs.flatMap((cost, op) => (cost ? [{ seed: Number(graph), op, ...cost }] : []));
}
