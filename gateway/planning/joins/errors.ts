import type { ErrorCode } from '../../errors.ts';

/** An error of a joined operation as the client sees it. */
export interface JoinError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Readonly<Record<string, unknown>>;
  /** The underlying error of a source, for the log only. */
  readonly cause?: Error;
}

/** The federated services cannot resolve the operation together. The message is public. */
export class UnplannableOperation extends Error {
  readonly code: ErrorCode = 'validation-failed';

  constructor(message: string) {
    super(message);
    this.name = 'UnplannableOperation';
  }
}

/** No route leads to the field. @param path such as `Query.items.price` */
export function unreachableField(path: string): UnplannableOperation {
  return new UnplannableOperation(`${path} cannot be reached: no key leads to a service that has it`);
}

/** Planning the operation would take too long. The message is public. */
export class OperationTooComplex extends UnplannableOperation {
  override readonly code: ErrorCode = 'plan-too-complex';

  constructor() {
    super('the operation is too complex to plan: select fewer fields, or split it into several operations');
    this.name = 'OperationTooComplex';
  }
}

/** The error of a field that the client is not authorized for. Message and code are those of Apollo's router. */
export const UNAUTHORIZED_FIELD = {
  message: 'Unauthorized field or type',
  code: 'UNAUTHORIZED_FIELD_OR_TYPE',
} as const;

/** A subgraph did not respond. The message and the extensions are public. */
export class SubgraphFailure extends Error {
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(message: string, extensions: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'SubgraphFailure';
    this.extensions = extensions;
  }
}

/** The `extensions` of an error that concerns a subgraph: its own, the subgraph's name, and a code. */
export function subgraphExtensions(service: string, given: unknown): Readonly<Record<string, unknown>> {
  const own = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  return { ...own, code: typeof own.code === 'string' ? own.code : 'remote-schema-error', service };
}
