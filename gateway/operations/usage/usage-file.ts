import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, makeDirectory, type Sliced } from '../../../platform/index.ts';
import type { CountedOperation, UsageTable } from './usage-table.ts';

// A usage file contains what one process has counted since it began the file. The first line describes the file. Further lines
// describe each operation, and each combination of operation, client and role. The file is replaced as a whole by a rename, so
// a reader always finds a complete one, even after a crash. Processes never share a file.

/** The name of a file contains the day (UTC) on which it was begun. */
const FILE_NAME = /^usage-(\d{4}-\d{2}-\d{2})-[0-9a-f]{12}-\d+\.jsonl$/;
const UNFINISHED_NAME = /^\.usage-[0-9a-f]{12}\.tmp$/;

/** Returns whether the name is that of a usage file. */
export function isUsageFile(name: string): boolean {
  return FILE_NAME.test(name);
}

/** Returns the UTC day of a time in milliseconds, as `2026-01-31`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Writes the files of one process. */
export class UsageFiles {
  readonly #directory: string;
  readonly #retentionDays: number;
  /** Identifies this process, including each of its restarts. */
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

  /** Makes the next write go to a new file. */
  finish(): void {
    this.#path = undefined;
  }

  /** Replaces the current file. @throws the file system's error. The file is then unchanged. */
  async write(text: string, startedAt: number): Promise<void> {
    await makeDirectory(this.#directory);
    const path = this.#path ?? this.#nextPath(startedAt);
    const unfinished = join(this.#directory, `.usage-${this.#instance}.tmp`);
    try {
      const file = await open(unfinished, 'w', 0o640);
      try {
        await file.writeFile(text);
        // Otherwise the name could be on the disk before the content.
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

  /** Deletes the files of all processes that are older than the retention. */
  async deleteOld(now: number): Promise<void> {
    const oldest = dayOf(now - this.#retentionDays * DAY_MS);
    await makeDirectory(this.#directory);
    for (const name of await readdir(this.#directory)) {
      const day = FILE_NAME.exec(name)?.[1];
      const path = join(this.#directory, name);
      if (day !== undefined && day < oldest) await rm(path, { force: true });
      // A process that is killed while it writes leaves an unfinished file.
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

/** Returns the text of a table's file. Uses that were counted since the last reading count as used now. */
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
