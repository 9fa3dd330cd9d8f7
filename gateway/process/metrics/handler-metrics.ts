import { counter, type Metric } from '../../../platform/index.ts';
import type { CountsOfHandler, HandlerCounts } from '../../sources/index.ts';

const HANDLER = ['kind', 'handler'];
/** Metrics of handlers that run saved operations. */
export function handlerMetrics({ all }: HandlerCounts): readonly Metric[] {
  const samples = (countsOf: (one: CountsOfHandler) => Readonly<Record<string, number>>) =>
    all.flatMap((one) =>
      Object.entries(countsOf(one)).map(([outcome, value]) => ({
        labels: { kind: one.kind, handler: one.name, outcome },
        value,
      })),
    );
  return [
    counter(
      'portico_handler_runs_total',
      'Runs of handlers that run saved operations.',
      [...HANDLER, 'outcome'],
      samples(({ runs }) => runs),
    ),
    counter(
      'portico_handler_compensations_total',
      'Steps of chains that had to be undone.',
      [...HANDLER, 'outcome'],
      samples(({ compensations }) => compensations),
    ),
  ];
}
