import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, makeDirectory, type Sliced } from '../../../platform/index.ts';
import type { CountedOperation, UsageTable } from './usage-table.ts';

// A file holds what one process counted since it began the file: a line about the file itself, then a line for each
// operation and for each combination of operation, client and role. It is replaced as a whole, by a rename: a reader
// finds a complete one at any time, also after a crash. No two processes share a file.

/** What a file name tells: the day (UTC) that the file was begun. */
const FILE_NAME = /^usage-(\d{4}-\d{2}-\d{2})-[0-9a-f]{12}-\d+\.jsonl$/;
const UNFINISHED_NAME = /^\.usage-[0-9a-f]{12}\.tmp$/;

/** Whether a file of a directory holds usage, by its name. */
export function isUsageFile(name: string): boolean {
  return FILE_NAME.test(name);
}

/** The UTC day of a time in milliseconds, as `2026-01-31`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Writes the files of one process. */
export class UsageFiles {
  readonly #directory: string;
  readonly #retentionDays: number;
  /** Tells this process from all others, and from itself before a restart. */
  readonly #instance = randomBytes(6).toString('hex');
  #number = 0;
  #path: string | undefined;

  constructor(directory: string, retentionDays: number) {
    this.#directory = directory;
    this.#retentionDays = retentionDays;
  }

  get instance(): string {
    return this.#instance;
  }

  /** What is written next goes to a new file. */
  finish(): void {
    this.#path = undefined;
  }

  /** Replaces the current file. @throws the file system's error; the file is as it was then. */
  async write(text: string, startedAt: number): Promise<void> {
    await makeDirectory(this.#directory);
    const path = this.#path ?? this.#nextPath(startedAt);
    const unfinished = join(this.#directory, `.usage-${this.#instance}.tmp`);
    try {
      const file = await open(unfinished, 'w', 0o640);
      try {
        await file.writeFile(text);
        // Otherwise the name could be on the disk before what it stands for.
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
      this.#path = path;
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Deletes files that are older than they are to be kept, of all processes. */
  async deleteOld(now: number): Promise<void> {
    const oldest = dayOf(now - this.#retentionDays * DAY_MS);
    await makeDirectory(this.#directory);
    for (const name of await readdir(this.#directory)) {
      const day = FILE_NAME.exec(name)?.[1];
      const path = join(this.#directory, name);
      if (day !== undefined && day < oldest) await rm(path, { force: true });
      // A process that was killed while it wrote leaves one.
      else if (UNFINISHED_NAME.test(name) && (await isOlder(path, now - DAY_MS))) await rm(path, { force: true });
    }
  }

  #nextPath(startedAt: number): string {
    this.#number += 1;
    return join(this.#directory, `usage-${dayOf(startedAt)}-${this.#instance}-${this.#number}.jsonl`);
  }
}

async function isOlder(path: string, than: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && found.mtimeMs < than;
}

/** The text of a table's file. What has been counted since the table was read last is taken to have been used now. */
export function* usageFileText(table: UsageTable, instance: string, now: number): Sliced<string> {
  const from = new Date(table.startedAt).toISOString();
  const head = { kind: 'usage', version: 1, instance, from, to: new Date(now).toISOString() };
  const lines = [JSON.stringify(head)];
  for (const operation of table.operations) {
    lines.push(operationLine(operation));
    for (const { role, byClient } of operation.byRole.values())
      for (const uses of byClient.values()) {
        if (uses.count !== uses.seen) uses.last = now;
        uses.seen = uses.count;
        const { client, count, errors, first, last } = uses;
        const times = { first: new Date(first).toISOString(), last: new Date(last).toISOString() };
        lines.push(
          JSON.stringify({
            kind: 'uses',
            operation: operation.id,
            client: client.name,
            version: client.version,
            role,
            count,
            errors,
            ...times,
          }),
        );
      }
    yield;
  }
  return `${lines.join('\n')}\n`;
}

function operationLine({ id, type, name, coordinates }: CountedOperation): string {
  return JSON.stringify({ kind: 'operation', id, type, name, coordinates: [...coordinates] });
}
