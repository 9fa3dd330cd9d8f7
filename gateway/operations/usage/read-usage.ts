import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DAY_MS, parseJson, StartError } from '../../../platform/index.ts';
import { linesOfLogs } from './otlp-lines.ts';
import { dayOf, isUsageFile } from './usage-file.ts';

/** An operation as the usage files describe it. */
export interface UsedOperation {
  readonly id: string;
  /**
   * `query`, `mutation`, `subscription`, `other` for all that were counted together, or `unknown` if the operation's line
   * cannot be read.
   */
  readonly type: string;
  readonly name: string | undefined;
  readonly coordinates: ReadonlySet<string>;
}

/** The type of an operation of which only the uses can be read. It may use any part of the schema. */
export const UNKNOWN = 'unknown';

/** How often one client ran an operation under one role. Times are in milliseconds since the epoch. */
export interface UsageRecord {
  readonly operation: UsedOperation;
  readonly client: string | undefined;
  readonly version: string | undefined;
  readonly role: string;
  readonly count: number;
  readonly errors: number;
  readonly first: number;
  readonly last: number;
}

/** The combined content of usage files. */
export interface RecordedUsage {
  readonly records: readonly UsageRecord[];
  /** The number of processes that counted. */
  readonly processes: number;
  /** The beginning and the end of the counts. Undefined if there are none. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The UTC days on which at least one process counted. */
  readonly days: ReadonlySet<string>;
  /** The number of unreadable lines, which are left out. */
  readonly unreadable: number;
}

const TIME = z.iso.datetime().transform((text) => Date.parse(text));
const COUNT = z.int().nonnegative();

const LINE = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('usage'), version: z.literal(1), instance: z.string(), from: TIME, to: TIME }),
  z.object({
    kind: z.literal('operation'),
    id: z.string(),
    type: z.string(),
    name: z.string().optional(),
    coordinates: z.array(z.string()),
  }),
  z.object({
    kind: z.literal('uses'),
    operation: z.string(),
    client: z.string().optional(),
    version: z.string().optional(),
    role: z.string(),
    count: COUNT,
    errors: COUNT,
    first: TIME,
    last: TIME,
  }),
]);

type UsageLine = z.output<typeof LINE>;
type UsesLine = Extract<UsageLine, { kind: 'uses' }>;

/**
 * Reads what gateways have counted, and merges it by operation, client, version and role.
 *
 * @param paths usage files, or directories of them. The files are a gateway's, or those of a collector that writes log records
 * as JSON.
 * @param since leaves out uses that were last seen before this time, in milliseconds since the epoch.
 * @throws StartError if a path cannot be read.
 */
export function readUsage(paths: readonly string[], since = 0): RecordedUsage {
  const operations = new Map<string, { type: string; name: string | undefined; coordinates: Set<string> }>();
  const merged = new Map<string, { -readonly [Member in keyof UsesLine]: UsesLine[Member] }>();
  const instances = new Set<string>();
  const days = new Set<string>();
  let [from, to, unreadable] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const line of linesOf(paths)) {
    if (!line) unreadable += 1;
    else if (line.kind === 'usage') {
      if (line.to < since) continue;
      instances.add(line.instance);
      from = Math.min(from, line.from);
      to = Math.max(to, line.to);
      for (let time = line.from; dayOf(time) <= dayOf(line.to); time += DAY_MS) days.add(dayOf(time));
    } else if (line.kind === 'operation') {
      const known = operations.get(line.id);
      if (known) for (const coordinate of line.coordinates) known.coordinates.add(coordinate);
      else operations.set(line.id, { type: line.type, name: line.name, coordinates: new Set(line.coordinates) });
    } else if (line.last >= since) {
      const key = JSON.stringify([line.operation, line.client, line.version, line.role]);
      const known = merged.get(key);
      if (!known) merged.set(key, line);
      else {
        known.count += line.count;
        known.errors += line.errors;
        known.first = Math.min(known.first, line.first);
        known.last = Math.max(known.last, line.last);
      }
    }
  }
  const records = [...merged.values()].map(({ operation: id, client, version, kind: _, ...rest }): UsageRecord => {
    const described = operations.get(id) ?? { type: UNKNOWN, name: undefined, coordinates: new Set<string>() };
    return { ...rest, operation: { id, ...described }, client, version };
  });
  const isEmpty = instances.size === 0;
  return {
    records,
    processes: instances.size,
    from: isEmpty ? undefined : from,
    to: isEmpty ? undefined : to,
    days,
    unreadable,
  };
}

/** Yields the lines of all files, and undefined for each unreadable one. */
function* linesOf(paths: readonly string[]): Generator<UsageLine | undefined> {
  for (const file of paths.flatMap(filesOf))
    for (const text of reportUnreadable(file, () => readFileSync(file, 'utf8')).split('\n')) {
      if (text === '') continue;
      const parsed = parseJson(text);
      for (const line of linesOfLogs(parsed) ?? [parsed]) yield LINE.safeParse(line).data;
    }
}

function filesOf(path: string): readonly string[] {
  return reportUnreadable(path, () => {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter(isUsageFile)
      .sort()
      .map((name) => join(path, name));
  });
}

function reportUnreadable<T>(path: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new StartError(`usage cannot be read from ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}
