import type { OperationTypeNode } from 'graphql';
import { Durations } from '../sources/index.ts';

/** Operations since the start. */
export class OperationCounts {
  /** Those that were run, by their type and whether there was any error in their response. */
  readonly ran = { query: { success: 0, errors: 0 }, mutation: { success: 0, errors: 0 } };
  /** From when an operation begins to run to its result. */
  readonly durations = { query: new Durations(), mutation: new Durations() };
  /** Subscriptions that were opened. */
  subscriptions = 0;
  /** Those that were not run, because they are wrong in themselves. */
  refused = 0;
  /** Documents that were asked for and were there already, and those that had to be read. */
  readonly documents = { hits: 0, misses: 0 };

  /** A query or mutation has run. */
  end(kind: `${OperationTypeNode}`, hasErrors: boolean, durationMs: number): void {
    if (kind === 'subscription') return;
    this.ran[kind][hasErrors ? 'errors' : 'success']++;
    this.durations[kind].add(durationMs);
  }
}
