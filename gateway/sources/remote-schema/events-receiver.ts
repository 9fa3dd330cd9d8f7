/** What a connection is opened for. */
export interface SourceStream {
  readonly receiver: EventsReceiver;
  /** The headers that tell the service of the trace. */
  readonly traceContext: Readonly<Record<string, string>>;
}

/** What a remote schema's connection tells of its subscription. */
export interface EventsReceiver {
  /** A GraphQL response, and the length of its text. */
  next(payload: unknown, length: number): void;
  /** The remote has refused the operation, with GraphQL errors. */
  refused(errors: unknown): void;
  complete(): void;
  /** The connection is lost, or could not be had. The reason is for the log. */
  lost(reason: string): void;
}
