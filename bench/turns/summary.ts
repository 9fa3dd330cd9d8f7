import { markdownTable } from '../report/index.ts';
import { median } from '../report/statistics.ts';
import type { Target } from '../targets/index.ts';

/** What one process has used. */
export interface ProcessTurns {
  readonly target: Target;
  readonly turns: { readonly requests: number; readonly cpuUs: number }[];
  /** Processor time in microseconds after each turn but the last, without what it takes when idle: late exports. */
  readonly between: number[];
  readonly peakMb: number;
}

/** Processor time of a request, for each target beside the first: means of the processes' figures, with standard errors. */
export function turnsTable(targets: readonly Target[], measured: readonly ProcessTurns[]): string {
  const figures = targets.flatMap((target) => {
    const own = measured.filter((process) => process.target === target);
    if (own.length === 0) return [];
    const perRequest = own.map((process) => {
      const costs = process.turns.map(({ requests, cpuUs }) => cpuUs / Math.max(1, requests));
      const requests = process.turns.slice(0, -1).reduce((total, turn) => total + turn.requests, 0);
      const between = process.between.reduce((total, us) => total + us, 0) / Math.max(1, requests);
      return { median: median(costs) + between, quarter: quantile(costs, 0.25) + between, between };
    });
    const statistic = (pick: (of: (typeof perRequest)[number]) => number) => meanAndError(perRequest.map(pick));
    return [
      {
        target,
        middle: statistic((of) => of.median),
        quarter: statistic((of) => of.quarter),
        between: statistic((of) => of.between),
        peakMb: median(own.map(({ peakMb }) => peakMb)),
      },
    ];
  });
  const [first] = figures;
  if (!first) return '';
  return markdownTable(
    ['', 'median µs', 'over the first', 'quickest quarter µs', 'over the first', 'of it between turns µs', 'peak MB'],
    figures.map(({ target, middle, quarter, between, peakMb }) => [
      target.title,
      withError(middle),
      more(middle, first.middle),
      withError(quarter),
      more(quarter, first.quarter),
      between.mean.toFixed(2),
      peakMb.toFixed(0),
    ]),
  );
}

interface Estimate {
  readonly mean: number;
  readonly error: number;
}

function meanAndError(values: readonly number[]): Estimate {
  const mean = values.reduce((total, value) => total + value, 0) / values.length;
  const variance = values.reduce((total, value) => total + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

const withError = ({ mean, error }: Estimate) => `${mean.toFixed(1)} ± ${error.toFixed(1)}`;

/** In percent, with the standard error of the quotient. */
function more(of: Estimate, first: Estimate): string {
  const ratio = of.mean / first.mean;
  const error = ratio * Math.hypot(of.error / of.mean, first.error / first.mean);
  return `${((ratio - 1) * 100).toFixed(1)} % ± ${(error * 100).toFixed(1)}`;
}
