import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashOf } from '../generated/supergraphs/random.ts';
import type { EngineResult } from './product-engine.ts';

/** What answering an operation took. */
export interface OperationCost {
  readonly calls: number;
  readonly waves: number;
}

/** The operations of one graph. */
export interface GraphCosts {
  readonly graph: string;
  readonly texts: readonly string[];
  /** Undefined for operations that are not answered, or not rightly. */
  readonly costs: readonly (OperationCost | undefined)[];
}

export function costOf({ calls, waves }: EngineResult): OperationCost {
  return { calls: calls.length, waves };
}

/** By graphs: the hash of its operations, then calls and waves of each. */
type Recorded = Readonly<Record<string, string>>;

/** Writes the costs to `baseline/` in place of comparing them: `RECORD_COSTS=1`, with the engine that others are compared with. */
const IS_RECORDING = process.env.RECORD_COSTS === '1';

/**
 * Compares what operations cost with what they cost with the engine that was recorded.
 * @returns those that cost more, a line each
 */
export function higherCosts(name: string, graphs: readonly GraphCosts[]): readonly string[] {
  const file = fileURLToPath(new URL(`baseline/${name}.json`, import.meta.url));
  if (IS_RECORDING) {
    const recorded: Recorded = Object.fromEntries(graphs.map((one) => [one.graph, textOf(one)]));
    writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
    return [];
  }
  const recorded: Recorded = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const comparable = graphs.filter((one) => recorded[one.graph]?.startsWith(`${operationsHash(one)} `));
  if (comparable.length < graphs.length * 0.8) return ['most operations are others than those that were recorded'];
  return graphs.flatMap((one) => {
    const [hash, ...known] = (recorded[one.graph] ?? '').split(' ');
    // A graph that composes otherwise now has other operations.
    if (hash !== operationsHash(one)) return [];
    return one.costs.flatMap((cost, at) => {
      const [calls, waves] = (known[at] ?? '').split('/').map(Number);
      if (!cost || calls === undefined || waves === undefined) return [];
      // Fewer waves are worth a call more.
      if (cost.waves < waves || (cost.waves === waves && cost.calls <= calls)) return [];
      return [
        `${one.graph}, ${at}: ${cost.calls}/${cost.waves} in place of ${known[at]} calls/waves: ${one.texts[at]}`,
      ];
    });
  });
}

function textOf(one: GraphCosts): string {
  return [operationsHash(one), ...one.costs.map((cost) => (cost ? `${cost.calls}/${cost.waves}` : '-'))].join(' ');
}

function operationsHash({ texts }: GraphCosts): string {
  return hashOf(texts.join('\n')).toString(36);
}
