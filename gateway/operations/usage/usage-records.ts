import type { LogRecord } from '../../../platform/index.ts';
import type { CountedOperation, UsageTable, Uses } from './usage-table.ts';

/** Names of the log events. */
const PERIOD = 'portico.usage.period';
const OPERATION = 'portico.usage.operation';
const USES = 'portico.usage.uses';
/** The most coordinates of one record. An operation with more of them has several records. */
const MAX_COORDINATES = 500;

/** The exported counts of a combination of operation, client and role. */
interface ExportedUses {
  readonly count: number;
  readonly errors: number;
  /** The time up to which uses were exported, in milliseconds since 1970. */
  readonly to: number;
}

/** A record, and a function to call once it is accepted. */
export interface UsageRecordToExport {
  readonly record: LogRecord;
  readonly accepted: () => void;
}

/** Tracks which part of a table has been exported, and creates the records of the rest. */
export class ExportedTable {
  readonly table: UsageTable;
  readonly #uses = new Map<Uses, ExportedUses>();
  /** How many coordinates of each operation the collector has received. */
  readonly #described = new Map<CountedOperation, number>();
  /** The time up to which the period was exported. Undefined before the first export. */
  #to: number | undefined;

  constructor(table: UsageTable) {
    this.table = table;
  }

  /** The time up to which the table was exported. */
  get to(): number {
    return this.#to ?? this.table.startedAt;
  }

  /** Whether all uses have been exported. */
  get isComplete(): boolean {
    return this.#pending().next().done === true;
  }

  /** Yields the records of everything counted since the last accepted records, up to `now`. */
  *records(now: number): Generator<UsageRecordToExport> {
    yield {
      record: { event: PERIOD, time: now, attributes: { 'portico.usage.from': isoTime(this.to) } },
      accepted: () => {
        this.#to = now;
      },
    };
    for (const [operation, role, uses] of this.#pending()) {
      yield* this.#description(operation, now);
      yield this.#usesRecord(operation, role, uses, now);
    }
  }

  *#pending(): Generator<readonly [CountedOperation, string, Uses]> {
    for (const operation of this.table.operations)
      for (const { role, byClient } of operation.byRole.values())
        for (const uses of byClient.values())
          if (uses.count !== (this.#uses.get(uses)?.count ?? 0)) yield [operation, role, uses];
  }

  /**
   * Describes an operation once for each table, and again if its coordinates have grown, which happens for operations that are
   * counted together.
   */
  *#description(operation: CountedOperation, now: number): Generator<UsageRecordToExport> {
    const coordinates = [...operation.coordinates];
    const known = this.#described.get(operation);
    if (known === coordinates.length) return;
    // An operation without coordinates is described too.
    for (let at = known ?? 0; at === 0 || at < coordinates.length; at += MAX_COORDINATES) {
      const some = coordinates.slice(at, at + MAX_COORDINATES);
      const attributes = {
        'portico.usage.operation': operation.id,
        'graphql.operation.type': operation.type,
        'graphql.operation.name': operation.name,
        'portico.usage.coordinates': some,
      };
      yield {
        record: { event: OPERATION, time: now, attributes },
        accepted: () => this.#described.set(operation, at + some.length),
      };
    }
  }

  #usesRecord(operation: CountedOperation, role: string, uses: Uses, now: number): UsageRecordToExport {
    const { count, errors, client, first } = uses;
    const before = this.#uses.get(uses) ?? { count: 0, errors: 0, to: first };
    const attributes = {
      'portico.usage.operation': operation.id,
      'graphql.operation.type': operation.type,
      'graphql.operation.name': operation.name,
      'portico.client.name': client.name,
      'portico.client.version': client.version,
      'portico.role': role,
      'portico.usage.count': count - before.count,
      'portico.usage.errors': errors - before.errors,
      'portico.usage.from': isoTime(before.to),
    };
    return {
      record: { event: USES, time: now, attributes },
      accepted: () => this.#uses.set(uses, { count, errors, to: now }),
    };
  }
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
