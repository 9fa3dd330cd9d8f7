import { markdownTable } from '../report/index.ts';
import { median, trimmedMean } from '../report/statistics.ts';
import type { Target } from '../targets/index.ts';

/** The use of one process. The turns of all processes at the same index belong to the same round. */
export interface ProcessTurns {
  readonly target: Pick<Target, 'title'>;
  readonly turns: { readonly requests: number; readonly cpuUs: number }[];
  /** Processor time after each turn except the last, in microseconds, without the idle share. It comes from late exports. */
  readonly between: number[];
  readonly peakMb: number;
}

/** The share of a process's rounds that is left out at either end, if they are compared within rounds. */
const TRIMMED = 0.2;

/**
 * Returns a table with the processor time of a request for each target next to the first one: means of the processes' figures,
 * with standard errors. Within a round, each turn is compared with the first target's turns of the same round, when the machine
 * was equally busy.
 */
export function turnsTable(targets: readonly ProcessTurns['target'][], measured: readonly ProcessTurns[]): string {
  const processes = measured.map(processCosts);
  const bases = roundMeans(processes.filter(({ target }) => target === targets[0]).map(({ costs }) => costs));
  const figures = targets.flatMap((target) => {
    const own = processes.filter((process) => process.target === target);
    if (own.length === 0) return [];
    const statistic = (pick: (of: ProcessCosts) => number) => meanAndError(own.map(pick));
    return [
      {
        target,
        medians: own.map(({ costs }) => median(costs)).sort((left, right) => left - right),
        middle: statistic(({ costs }) => median(costs)),
        withinRounds: statistic(({ costs }) => ratioWithinRounds(costs, bases)),
        quarter: statistic(({ costs }) => quantile(costs, 0.25)),
        between: statistic(({ between }) => between),
        requests: median(own.map(({ requests }) => requests)),
        peakMb: median(own.map(({ peakMb }) => peakMb)),
      },
    ];
  });
  const [first] = figures;
  if (!first) return '';
  const table = markdownTable(
    [
      '',
      'median µs',
      'over the first',
      'within rounds',
      'quickest quarter µs',
      'over the first',
      'of it between turns µs',
      'requests a turn',
      'peak MB',
    ],
    figures.map(({ target, middle, withinRounds, quarter, between, requests, peakMb }) => [
      target.title,
      withError(middle),
      more(middle, first.middle),
      more(withinRounds, first.withinRounds),
      withError(quarter),
      more(quarter, first.quarter),
      between.mean.toFixed(2),
      requests.toFixed(0),
      peakMb.toFixed(0),
    ]),
  );
  const lists = figures.map(
    ({ target, medians }) => `${target.title}: ${medians.map((us) => us.toFixed(1)).join(', ')}`,
  );
  return `${table}\nMedians of the processes in µs, to see whether some are of another kind:\n\n- ${lists.join('\n- ')}\n`;
}

interface ProcessCosts {
  readonly target: ProcessTurns['target'];
  /** The cost of a request in each round, in microseconds. */
  readonly costs: readonly number[];
  /** The part of these costs that arises between turns. */
  readonly between: number;
  /** The requests of a turn. */
  readonly requests: number;
  readonly peakMb: number;
}

function processCosts({ target, turns, between, peakMb }: ProcessTurns): ProcessCosts {
  const late = between.map((us, round) => us / Math.max(1, turns[round]?.requests ?? 0));
  const lateUs = late.length === 0 ? 0 : median(late);
  return {
    target,
    costs: turns.map(({ requests, cpuUs }) => cpuUs / Math.max(1, requests) + lateUs),
    between: lateUs,
    requests: median(turns.map(({ requests }) => requests)),
    peakMb,
  };
}

/** Returns the mean of the processes in each round. */
function roundMeans(costs: readonly (readonly number[])[]): readonly number[] {
  return (costs[0] ?? []).map((_, round) => mean(costs.map((own) => own[round] ?? 0)));
}

function ratioWithinRounds(costs: readonly number[], bases: readonly number[]): number {
  return trimmedMean(
    costs.map((cost, round) => cost / (bases[round] ?? cost)),
    TRIMMED,
  );
}

interface Estimate {
  readonly mean: number;
  readonly error: number;
}

function meanAndError(values: readonly number[]): Estimate {
  const middle = mean(values);
  const variance = values.reduce((total, value) => total + (value - middle) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean: middle, error: Math.sqrt(variance / values.length) };
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}

const withError = ({ mean, error }: Estimate) => `${mean.toFixed(1)} ± ${error.toFixed(1)}`;

/** Returns the difference in percent, with the standard error of the quotient. */
function more(of: Estimate, first: Estimate): string {
  const ratio = of.mean / first.mean;
  const error = ratio * Math.hypot(of.error / of.mean, first.error / first.mean);
  return `${((ratio - 1) * 100).toFixed(1)} % ± ${(error * 100).toFixed(1)}`;
}
