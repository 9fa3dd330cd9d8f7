import { createHmac, hkdfSync } from 'node:crypto';
import { type Logger, networkOf } from '../../platform/index.ts';
import type { ServiceTime } from '../clock/index.ts';
import type { Database } from '../database/index.ts';
import { AuditDeduplicator } from './deduplicator.ts';
import { type AuditEntry, type AuditSubject, auditStatement, PLATFORM } from './entry.ts';

const NAME_DIGEST_BYTES = 16;
const INSERT_REPEATED_EVERY_MS = 10_000;

/** Records events that change nothing in the database and thus have no transaction. `recordAudit` records the others. */
export interface Audit {
  /** Adds an entry. A failure is logged and does not change the response. */
  record(entry: AuditEntry): Promise<void>;
  /**
   * Like `record`, for events that a caller can repeat at no cost. The first one is recorded immediately. Those that follow
   * within a minute become one entry with their number.
   */
  recordDeduplicated(entry: AuditEntry): Promise<void>;
  /** Returns the subject for a name that may not be a user's, such as a password that was typed into the wrong field. */
  unknownName(tenantId: number, name: string): AuditSubject;
  /** Returns the number of entries that wait for their deduplicated entry, and of those that could not be written. */
  usage(): { readonly backlog: number; readonly lost: number };
  /** Writes deduplicated entries periodically until `stop()`, which writes the rest. */
  start(): void;
  stop(): Promise<void>;
}

export interface AuditOptions extends ServiceTime {
  database: Database;
  /** A key that all replicas share. */
  secret: Uint8Array;
  logger: Logger;
}

export function createAudit({ database, secret, now, every, logger }: AuditOptions): Audit {
  const digestKey = Buffer.from(hkdfSync('sha256', secret, '', 'portico audit log names', 32));
  const repeats = new AuditDeduplicator(now);
  let stopTimer: (() => void) | undefined;
  let lost = 0;

  async function insertEntry(entry: AuditEntry): Promise<void> {
    try {
      const statement = auditStatement(entry);
      if (entry.tenantId === PLATFORM) await database.single.withoutTenant(statement, 'write-audit-entry');
      else await database.single.inTenant(entry.tenantId, statement, 'write-audit-entry');
    } catch (error) {
      lost += 1;
      logger.error(
        { err: error, event: 'audit.entry_lost', audit_event: entry.event, outcome: entry.outcome },
        'failed to write an audit entry',
      );
    }
  }

  async function insertRepeated(which: { all: boolean }): Promise<void> {
    for (const entry of repeats.takeEnded(which)) await insertEntry(entry);
  }

  return {
    record: insertEntry,
    async recordDeduplicated(entry) {
      const first = repeats.countEntry(entry, deduplicationKeyOf(entry));
      if (first) await insertEntry(first);
    },
    unknownName(tenantId, name) {
      // JSON text does not confuse a lone surrogate with another character.
      const digest = createHmac('sha256', digestKey)
        .update(JSON.stringify([tenantId, name]))
        .digest();
      return { kind: 'name', id: digest.subarray(0, NAME_DIGEST_BYTES).toString('base64url') };
    },
    usage: () => ({ backlog: repeats.backlog, lost }),
    start() {
      stopTimer ??= every(INSERT_REPEATED_EVERY_MS, () => insertRepeated({ all: false }));
    },
    async stop() {
      stopTimer?.();
      await insertRepeated({ all: true });
    },
  };
}

/**
 * Returns the key by which entries are deduplicated. It uses the IPv6 network, since a single caller has any number of
 * addresses in it.
 */
function deduplicationKeyOf({ event, outcome, tenantId, actor, subject, origin, details }: AuditEntry): string {
  const network = origin.address === null ? null : networkOf(origin.address);
  return JSON.stringify([event, outcome, tenantId, actor, subject, network, details]);
}
