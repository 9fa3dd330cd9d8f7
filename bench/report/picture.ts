import { ROW_IDS, ROWS } from '../rows.ts';
import { barCharts } from './chart.ts';
import type { ComparedRow } from './comparison.ts';
import type { Results } from './results.ts';
import { figure } from './table.ts';

/** Targets that are only in the tables: those that are not gateways, and slower variants of another target. */
const LEFT_OUT = new Set(['direct', 'proxy', 'hive-default', 'hive-jit']);

/** Returns the rows as bar charts of requests per second. */
export function picture(results: Results): string {
  const panels = ROW_IDS.flatMap((id) => {
    const ofRow = results.rows.filter(({ row }) => row === id);
    const shown = ofRow.filter(({ target }) => !LEFT_OUT.has(target));
    const bars = shown.map((line) => ({
      label: line.title + (line.shares ? ' *' : ''),
      value: line.requestsPerSecond,
      text: figure(line.requestsPerSecond),
      kind: line.kind,
    }));
    return bars.length === 0 ? [] : [{ title: `${id}: ${ROWS[id].title}`, bars }];
  });
  const { connections } = results.plan;
  const shared = results.rows.some((line: ComparedRow) => line.shares) ? ' * shares answers between requests.' : '';
  return barCharts(
    `Requests per second on one core, ${connections} connections`,
    `Node ${results.machine.node}, ${results.machine.processor}, ${results.measuredAt.slice(0, 10)}. Longer is better.${shared}`,
    panels,
  );
}
