import type { Generation } from '../generation/index.ts';
import type { LogFields, PendingLog } from './pending-log.ts';

/** The maximum number of remembered problems. A service may cause a new problem at each introspection. */
const MAX_REMEMBERED = 10_000;

/** Logs each problem of generations once. */
export class InconsistencyLog {
  readonly #log: PendingLog;
  readonly #logged = new Set<string>();

  constructor(log: PendingLog) {
    this.#log = log;
  }

  /** Skips problems that a previous registry has logged. */
  follow(previous: InconsistencyLog): void {
    for (const message of previous.#logged) this.#logged.add(message);
  }

  /**
   * @param isComplete whether all sources have been introspected. Until then, missing sources may still become
   *   available.
   */
  report(generation: Generation, isComplete: boolean): void {
    const { sources, conflicts, relationshipProblems, authenticationProblems } = generation;
    if (isComplete)
      for (const { source, reason } of conflicts)
        this.#once(
          'error',
          reason,
          { event: 'remote_schema.conflict', source, reason },
          'the source conflicts with another source',
        );
    for (const { name, warning } of sources)
      if (warning !== undefined) this.#once('warn', warning, { event: 'source.warning', source: name }, warning);
    for (const { message, ...place } of relationshipProblems)
      this.#once(
        'error',
        message,
        { event: 'relationship.invalid', ...place, reason: message },
        'the relationship is invalid and is not part of the graph',
      );
    for (const { message, ...place } of authenticationProblems)
      this.#once(
        'error',
        message,
        { event: 'authentication_field.not_public', ...place, reason: message },
        'authentication field is not public',
      );
    // Finding public fields may take a while, and nothing depends on them.
    if (isComplete)
      for (const { source, message } of generation.unmarkedAuthenticationFields)
        this.#once(
          'warn',
          message,
          { event: 'authentication_field.unmarked', source, reason: message },
          'public field may be an authentication field',
        );
  }

  reportInvalidRole(role: string, error: Error): void {
    const detail: LogFields = { event: 'graph.role_invalid', role, reason: error.message, err: error };
    const message = 'the graph of a role is invalid, its operations are rejected';
    this.#once('error', `${role}: ${error.message}`, detail, message);
  }

  #once(level: 'warn' | 'error', key: string, detail: LogFields, message: string): void {
    if (this.#logged.has(key)) return;
    if (this.#logged.size >= MAX_REMEMBERED) this.#logged.clear();
    this.#logged.add(key);
    this.#log[level](detail, message);
  }
}
