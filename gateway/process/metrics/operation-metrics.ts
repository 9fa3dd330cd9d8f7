import {
  cacheCounter,
  counter,
  durationHistogram,
  type Metric,
  oneCounter,
  oneDurationHistogram,
  oneGauge,
  samplesBy,
} from '../../../platform/index.ts';
import type { OperationPipeline } from '../../pipeline/index.ts';
import { DURATION_BOUNDS_MS } from '../../upstream/index.ts';

/** Metrics of operations and subscriptions. */
export function operationMetrics(counts: OperationPipeline['counts']): readonly Metric[] {
  const { ran, durations, refused, documents, persisted, plans, validation, planning } = counts;
  return [
    counter(
      'portico_operations_total',
      'Queries and mutations that were run; errors: the response had errors.',
      ['type', 'outcome'],
      Object.entries(ran).flatMap(([type, outcomes]) =>
        Object.entries(outcomes).map(([outcome, value]) => ({ labels: { type, outcome }, value })),
      ),
    ),
    ...subscriptionMetrics(counts.subscriptions),
    oneCounter('portico_operations_refused_total', 'Operations that were rejected before execution.', refused),
    durationHistogram(
      'portico_operation_duration_seconds',
      'Time from the start of an operation to its result.',
      ['type'],
      DURATION_BOUNDS_MS,
      Object.entries(durations).map(([type, counted]) => counted.sample({ type })),
    ),
    ...counts.named.metrics(),
    cacheCounter('portico_documents_total', 'Documents that clients sent, found in the cache or parsed.', documents),
    cacheCounter('portico_persisted_queries_total', 'Documents that clients sent only by id.', persisted),
    cacheCounter('portico_plans_total', 'Plans of operations, found in the cache or created.', plans),
    oneDurationHistogram(
      'portico_validation_duration_seconds',
      'Validation of a document for a role that sends it for the first time.',
      validation,
    ),
    oneDurationHistogram(
      'portico_planning_duration_seconds',
      'Planning of an operation for a role that sends it for the first time.',
      planning,
    ),
  ];
}

function subscriptionMetrics({
  opened,
  active,
  runs,
  ended,
}: OperationPipeline['counts']['subscriptions']): readonly Metric[] {
  return [
    oneCounter('portico_subscriptions_total', 'Subscriptions that were opened.', opened),
    oneGauge('portico_subscriptions_active', 'Subscriptions that are open.', active),
    oneGauge('portico_subscription_runs', 'Source streams of subscriptions. Equal subscriptions share a stream.', runs),
    counter(
      'portico_subscriptions_ended_total',
      'Subscriptions that have ended, by the reason.',
      ['reason'],
      samplesBy('reason', ended),
    ),
  ];
}
