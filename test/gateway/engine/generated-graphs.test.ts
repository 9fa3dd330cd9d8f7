import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SEED } from '../../seed.ts';
import { checkGraph, type Finding, type OperationCost } from './check-graph.ts';
import { modelOf, openGraph } from './generated-graph.ts';
import { openProductEngine } from './product-engine.ts';

/** Graphs that are checked. A long run: `FEDERATION_RUNS=5000`, of others `TEST_SEED=random`. */
const RUNS = Number(process.env.FEDERATION_RUNS ?? 200);
const OPERATIONS = Number(process.env.FEDERATION_OPERATIONS ?? 6);
/** A file for what is found and what operations cost. */
const REPORT = process.env.FEDERATION_REPORT;
/** Tried for each graph that composes. */
const MOST_SEEDS = 30;

test(
  'generated subgraphs that check what they are sent are answered as graphql-js answers over one schema',
  async () => {
    const findings: Finding[] = [];
    const costs: OperationCost[] = [];
    const discarded = new Map<string, number>();
    let [checked, operations] = [0, 0];
    for (let seed = SEED; checked < RUNS && seed < SEED + RUNS * MOST_SEEDS; seed++) {
      const graph = await openGraph(seed, modelOf(seed), openProductEngine);
      if (typeof graph === 'string') {
        const code = graph.split(':')[0] ?? '';
        discarded.set(code, (discarded.get(code) ?? 0) + 1);
        continue;
      }
      checked += 1;
      const found = await checkGraph(graph, OPERATIONS);
      graph.engine.close();
      operations += found.operations;
      findings.push(...found.findings);
      costs.push(...found.costs);
    }
    const kinds: Record<string, number> = {};
    for (const { kind } of findings) kinds[kind] = (kinds[kind] ?? 0) + 1;
    const summary = { checked, discarded: Object.fromEntries(discarded), operations, findings: kinds };
    if (REPORT) writeFileSync(REPORT, JSON.stringify({ summary, costs, findings }, undefined, 1));
    process.stderr.write(`generated graphs: ${JSON.stringify(summary)}\n`);
    expect(checked).toBe(RUNS);
  },
  120_000 + RUNS * 10_000,
);
