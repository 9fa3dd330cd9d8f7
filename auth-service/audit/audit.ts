import { createHmac, hkdfSync } from 'node:crypto';
import { type Logger, networkOf } from '../../platform/index.ts';
import type { Database } from '../database/index.ts';
import { type AuditEntry, auditStatement, PLATFORM, type Subject } from './entry.ts';
import { Repeats } from './repeats.ts';

const DIGEST_BYTES = 16;
const LOOK_EVERY_MS = 10_000;

/** Writes down what changes nothing, and so has no transaction of its own. What does is written by `recordAudit`. */
export interface Audit {
  /** Adds an entry. That it cannot be added is logged, and changes nothing about what happened. */
  note(entry: AuditEntry): Promise<void>;
  /**
   * The same for what costs whoever does it nothing: the first of its kind at once, those that follow within a minute
   * as one entry with their number.
   */
  noteRepeatable(entry: AuditEntry): Promise<void>;
  /** A name that nobody may have, such as a password that was typed into the wrong field. */
  unknownName(tenantId: number, name: string): Subject;
  /** Goes on writing down what was repeated, until `stop()`, which writes the rest. */
  start(): void;
  stop(): Promise<void>;
}

export interface AuditOptions {
  database: Database;
  /** The same in all replicas. */
  secret: Uint8Array;
  now(): Date;
  /** Does something again and again, until what it returns is called. */
  every(milliseconds: number, action: () => Promise<void>): () => void;
  logger: Logger;
}

export function createAudit({ database, secret, now, every, logger }: AuditOptions): Audit {
  const digestKey = Buffer.from(hkdfSync('sha256', secret, '', 'portico audit log names', 32));
  const repeats = new Repeats({ now });
  let stopTimer: (() => void) | undefined;

  async function write(entry: AuditEntry): Promise<void> {
    try {
      const statement = auditStatement(entry);
      if (entry.tenantId === PLATFORM) await database.single.withoutTenant(statement);
      else await database.single.inTenant(entry.tenantId, statement);
    } catch (error) {
      const { event, outcome } = entry;
      logger.error({ err: error, event, outcome }, 'an entry could not be added to the audit log');
    }
  }

  async function writeRepeated(which: { all: boolean }): Promise<void> {
    for (const entry of repeats.ended(which)) await write(entry);
  }

  return {
    note: write,
    async noteRepeatable(entry) {
      const first = repeats.note(entry, keyOf(entry));
      if (first) await write(first);
    },
    unknownName(tenantId, name) {
      // As JSON, a lone surrogate is not taken for another character.
      const digest = createHmac('sha256', digestKey)
        .update(JSON.stringify([tenantId, name]))
        .digest();
      return { kind: 'name', id: digest.subarray(0, DIGEST_BYTES).toString('base64url') };
    },
    start() {
      stopTimer ??= every(LOOK_EVERY_MS, () => writeRepeated({ all: false }));
    },
    async stop() {
      stopTimer?.();
      await writeRepeated({ all: true });
    },
  };
}

/** What counts as the same thing again. Within an IPv6 network a single caller has as many addresses as it likes. */
function keyOf({ event, outcome, tenantId, actor, subject, origin, details }: AuditEntry): string {
  const network = origin.address === null ? null : networkOf(origin.address);
  return JSON.stringify([event, outcome, tenantId, actor, subject, network, details]);
}
