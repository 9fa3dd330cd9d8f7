/** The purpose of a connection. */
export interface SourceStream {
  readonly receiver: EventsReceiver;
  /** Headers with the trace context. */
  readonly traceContext: Readonly<Record<string, string>>;
}

/** Receives the events of a subscription from a remote schema's connection. */
export interface EventsReceiver {
  /** Called with a GraphQL response and the length of its text. */
  next(payload: unknown, length: number): void;
  /** The remote rejected the operation with GraphQL errors. */
  refused(errors: unknown): void;
  complete(): void;
  /** The connection was lost or could not be established. The reason is for the log. */
  lost(reason: string): void;
}
