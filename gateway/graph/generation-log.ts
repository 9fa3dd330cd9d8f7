import type { Generation } from './generation.ts';
import type { PendingLog } from './pending-log.ts';

/** Logs what is wrong with generations, each thing once. */
export class GenerationLog {
  readonly #log: PendingLog;
  readonly #logged = new Set<string>();

  constructor(log: PendingLog) {
    this.#log = log;
  }

  /** Leaves out what a predecessor has logged. */
  follow(previous: GenerationLog): void {
    for (const message of previous.#logged) this.#logged.add(message);
  }

  /** @param isComplete whether all sources have been asked. Before, what is missing may still come. */
  report(generation: Generation, isComplete: boolean): void {
    const { sources, conflicts, relationshipProblems, authenticationProblems } = generation;
    if (isComplete)
      for (const { source, reason } of conflicts)
        this.#once('error', reason, { source, reason }, 'a source conflicts with another one');
    for (const { name, warning } of sources)
      if (warning !== undefined) this.#once('warn', warning, { source: name }, warning);
    for (const { message, ...place } of relationshipProblems)
      this.#once('error', message, { ...place, reason: message }, 'a relationship is not part of the graph');
    for (const { message, ...place } of authenticationProblems)
      this.#once('error', message, { ...place, reason: message }, 'an authentication field is not public');
    // What a source is granted to the public may take a while to find out, and nothing depends on it.
    if (isComplete)
      for (const { source, message } of generation.unmarkedAuthenticationFields)
        this.#once('warn', message, { source, reason: message }, 'a public field may be an authentication field');
  }

  reportInvalidRole(role: string, error: Error): void {
    const detail = { event: 'graph.role-invalid', role, reason: error.message, err: error };
    const message = 'the graph of a role is not valid; its operations are refused, those of other roles are not';
    this.#once('error', `${role}: ${error.message}`, detail, message);
  }

  #once(level: 'warn' | 'error', key: string, detail: object, message: string): void {
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#log[level](detail, message);
  }
}
