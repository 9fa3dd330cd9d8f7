import type { ErrorCode } from '../errors.ts';

/** An error of a joined operation, as the client sees it. */
export interface JoinError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The operation is one that the federated services cannot answer together. Its message is public. */
export class UnplannableOperation extends Error {
  readonly code: ErrorCode = 'validation-failed';
  /** Whether the planner failed at an operation that the subgraphs may be able to answer. */
  readonly isPlannersFault: boolean;

  constructor(message: string, cause?: unknown, isPlannersFault = false) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'UnplannableOperation';
    this.isPlannersFault = isPlannersFault;
  }
}

/** The thread that plans has ended or is stuck; it is opened again for a later operation. Its message is public. */
export class PlannerStopped extends UnplannableOperation {
  override readonly code: ErrorCode = 'service-unavailable';

  constructor(cause: unknown) {
    super('the query planner of federation is not available for a moment', cause);
    this.name = 'PlannerStopped';
  }
}

/** The query planner, a native addon, does not load on this machine. */
export class PlannerUnavailable extends Error {
  constructor(cause: unknown) {
    super('the query planner of federation does not load on this machine', { cause });
    this.name = 'PlannerUnavailable';
  }
}

/** A subgraph that did not respond, as its caller reports it. Its message and extensions are public. */
export class SubgraphFailure extends Error {
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(message: string, extensions: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'SubgraphFailure';
    this.extensions = extensions;
  }
}

/** `extensions` of an error that concerns a subgraph: its own, its name, and a code. */
export function subgraphExtensions(service: string, given: unknown): Readonly<Record<string, unknown>> {
  const own = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  return { ...own, code: typeof own.code === 'string' ? own.code : 'remote-schema-error', service };
}
