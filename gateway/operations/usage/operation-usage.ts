import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from './clients.ts';
import type { HiveOperation } from './hive-operation.ts';
import type { HiveReporter } from './hive-reporter.ts';
import type { OperationDescription, RoleUses, UsageTable, Uses } from './usage-table.ts';

/** The current table. It is replaced when its file is finished. */
export interface UsageTarget {
  readonly table: UsageTable;
  readonly hive: HiveReporter | undefined;
}

export interface OperationUsageOptions {
  readonly target: UsageTarget;
  readonly description: OperationDescription;
  readonly role: string;
  /** Whether the callers of the role have no session. */
  readonly isPublic: boolean;
  /** The operation in the registry's format. */
  readonly hive: HiveOperation | undefined;
}

/**
 * Counts the uses of an operation by one role. It is kept with the operation's document, so that a request costs only two
 * look-ups of its client and an addition.
 */
export class OperationUsage {
  readonly #options: OperationUsageOptions;
  /** A weak reference, since documents outlive tables. */
  #table: WeakRef<UsageTable> | undefined;
  #ofRole: WeakRef<RoleUses> | undefined;
  /** The uses of the last client, which usually is also the next one. */
  #last: { readonly client: Client; readonly uses: Uses } | undefined;

  constructor(options: OperationUsageOptions) {
    this.#options = options;
  }

  /**
   * Counts a run of a query or mutation.
   *
   * @param headers of the request.
   * @param errors the number of GraphQL errors in the response.
   */
  ran(headers: IncomingHttpHeaders, errors: number, durationMs: number): void {
    const client = this.#count(headers, errors > 0);
    const { target, hive, isPublic } = this.#options;
    if (hive) target.hive?.ran(hive, client, isPublic, errors, durationMs);
  }

  /** Counts a new subscription. */
  subscribed(headers: IncomingHttpHeaders): void {
    const client = this.#count(headers, false);
    const { target, hive, isPublic } = this.#options;
    if (hive) target.hive?.subscribed(hive, client, isPublic);
  }

  #count(headers: IncomingHttpHeaders, hasErrors: boolean): Client {
    const { target, isPublic } = this.#options;
    const { table } = target;
    const client = table.clients.of(headers, isPublic);
    const last = this.#last;
    const uses = this.#table?.deref() === table && last?.client === client ? last.uses : this.#find(table, client);
    uses.count += 1;
    if (hasErrors) uses.errors += 1;
    return client;
  }

  #find(table: UsageTable, client: Client): Uses {
    const { description, role, isPublic } = this.#options;
    let ofRole = this.#table?.deref() === table ? this.#ofRole?.deref() : undefined;
    if (!ofRole) {
      ofRole = table.role(table.operation(description, isPublic), role);
      this.#ofRole = new WeakRef(ofRole);
      this.#table = new WeakRef(table);
    }
    const uses = table.uses(ofRole, client);
    this.#last = { client, uses };
    return uses;
  }
}
