import type { OperationTypeNode } from 'graphql';
import { CacheCounts, Durations, type TraceReference } from '../../platform/index.ts';
import { DURATION_BOUNDS_MS } from '../upstream/index.ts';
import { type NamedOperationLabels, NamedOperations } from './named-operations.ts';

/** Upper bounds of the buckets for validation and planning, in milliseconds. */
const STAGE_BOUNDS_MS: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];

/**
 * The reason why a subscription ended:
 *
 * - `completed`: the source completed it.
 * - `failed`: the source failed.
 * - `client`: the client stopped it or disconnected.
 * - `reload`: a reload changed or removed its schema.
 * - `credentials`: its credentials expired or were revoked.
 * - `shutdown`: the gateway is stopping.
 */
export type SubscriptionEnd = 'completed' | 'failed' | 'client' | 'reload' | 'credentials' | 'shutdown';

/** Counts of subscriptions since the start. */
export class SubscriptionCounts {
  opened = 0;
  active = 0;
  /** The number of runs that deliver events. Equal subscriptions may share a run. */
  runs = 0;
  readonly ended: Record<SubscriptionEnd, number> = {
    completed: 0,
    failed: 0,
    client: 0,
    reload: 0,
    credentials: 0,
    shutdown: 0,
  };

  open(): void {
    this.opened++;
    this.active++;
  }

  end(reason: SubscriptionEnd): void {
    this.active--;
    this.ended[reason]++;
  }
}

/** Counts of operations since the start. */
export class OperationCounts {
  /** Counts of the operations that the metadata names. */
  readonly named: NamedOperations;
  /** Executed operations by type and by whether their response has errors. */
  readonly ran = { query: { success: 0, errors: 0 }, mutation: { success: 0, errors: 0 } };
  /** Durations from the start of execution to the result. */
  readonly durations = {
    query: new Durations(DURATION_BOUNDS_MS),
    mutation: new Durations(DURATION_BOUNDS_MS),
  };
  readonly subscriptions = new SubscriptionCounts();
  /** Operations that were rejected as invalid. */
  refused = 0;
  /** Hits and misses of the document cache. */
  readonly documents = new CacheCounts();
  /** Hits and misses of requests that only send the id of a document. */
  readonly persisted = new CacheCounts();
  /** Hits and misses of the plan cache. */
  readonly plans = new CacheCounts();
  /** Durations of validations. A document is validated once for each role. */
  readonly validation = new Durations(STAGE_BOUNDS_MS);
  /** Durations of planning. An operation is planned once for each role. */
  readonly planning = new Durations(STAGE_BOUNDS_MS);

  constructor(labels: NamedOperationLabels = { clients: [], tenants: [] }) {
    this.named = new NamedOperations(labels);
  }

  /** Counts a query or mutation that has run. */
  end(kind: `${OperationTypeNode}`, hasErrors: boolean, durationMs: number, trace: TraceReference | undefined): void {
    if (kind === 'subscription') return;
    this.ran[kind][hasErrors ? 'errors' : 'success']++;
    this.durations[kind].add(durationMs, trace);
  }
}
