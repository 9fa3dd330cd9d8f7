import type { OperationHandler } from '../metadata/index.ts';

/** What a handler belongs to, in logs and metrics. */
export type HandlerLabel = 'action' | 'cron-trigger' | 'subscription';

const LABELS: Readonly<Record<OperationHandler['kind'], HandlerLabel>> = {
  actions: 'action',
  cronTriggers: 'cron-trigger',
  deliveries: 'subscription',
};

export function labelOf({ kind }: Pick<OperationHandler, 'kind'>): HandlerLabel {
  return LABELS[kind];
}

/** The counts of one handler. */
export interface CountsOfHandler {
  readonly kind: HandlerLabel;
  readonly name: string;
  readonly runs: { success: number; error: number };
  readonly compensations: { done: number; failed: number };
}

/** Counts the runs and compensations of operation handlers since the start. */
export class HandlerCounts {
  readonly #byHandler = new Map<string, CountsOfHandler>();

  ran(handler: OperationHandler, isSuccess: boolean): void {
    this.#of(handler).runs[isSuccess ? 'success' : 'error']++;
  }

  compensated(handler: OperationHandler, isDone: boolean): void {
    this.#of(handler).compensations[isDone ? 'done' : 'failed']++;
  }

  get all(): readonly CountsOfHandler[] {
    return [...this.#byHandler.values()];
  }

  #of(handler: OperationHandler): CountsOfHandler {
    const { name } = handler;
    const kind = labelOf(handler);
    const key = `${kind} ${name}`;
    const known = this.#byHandler.get(key);
    if (known) return known;
    const counts = { kind, name, runs: { success: 0, error: 0 }, compensations: { done: 0, failed: 0 } };
    this.#byHandler.set(key, counts);
    return counts;
  }
}
