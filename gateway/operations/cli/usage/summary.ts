import type { RecordedUsage, UsageRecord } from '../../usage/index.ts';

/** A filter of uses. Undefined members match everything. */
export interface UsageFilter {
  readonly client?: string | undefined;
  readonly role?: string | undefined;
  /** The name of the operation. */
  readonly operation?: string | undefined;
  /** A schema coordinate that the operation uses. */
  readonly field?: string | undefined;
}

interface Sum {
  readonly count: number;
  readonly errors: number;
  /** In ISO 8601. */
  readonly first: string;
  readonly last: string;
}

/** A client with its version, as `name version`. */
export interface UsageSummary {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly processes: number;
  /** The number of times that operations ran. */
  readonly count: number;
  readonly unreadableLines: number;
  readonly operations: readonly (Sum & {
    readonly id: string;
    readonly type: string;
    readonly name?: string;
    readonly clients: readonly string[];
    readonly roles: readonly string[];
  })[];
  readonly clients: readonly (Sum & {
    readonly client?: string;
    readonly version?: string;
    readonly operations: number;
  })[];
  readonly coordinates: readonly (Sum & {
    readonly coordinate: string;
    readonly operations: number;
    readonly clients: readonly string[];
  })[];
}

/** Summarizes uses. Each list begins with the most used item. */
export function summarize(usage: RecordedUsage, filter: UsageFilter = {}): UsageSummary {
  const records = usage.records.filter((record) => isMeant(record, filter));
  const isoTime = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
  return {
    from: isoTime(usage.from),
    to: isoTime(usage.to),
    processes: usage.processes,
    count: records.reduce((sum, { count }) => sum + count, 0),
    unreadableLines: usage.unreadable,
    operations: groupedBy(records, ({ operation }) => [operation.id]).map(([, group, sum]) => {
      const { id, type, name } = group[0].operation;
      const roles = distinct(group.map(({ role }) => role));
      return { id, type, ...(name !== undefined && { name }), ...sum, clients: clientNames(group), roles };
    }),
    clients: groupedBy(records, (record) => [JSON.stringify([record.client, record.version])]).map(([, group, sum]) => {
      const { client, version } = group[0];
      const operations = distinct(group.map(({ operation }) => operation.id)).length;
      return {
        ...(client !== undefined && { client }),
        ...(version !== undefined && { version }),
        ...sum,
        operations,
      };
    }),
    coordinates: groupedBy(records, ({ operation }) => operation.coordinates).map(([coordinate, group, sum]) => ({
      coordinate,
      ...sum,
      operations: distinct(group.map(({ operation }) => operation.id)).length,
      clients: clientNames(group),
    })),
  };
}

function isMeant(record: UsageRecord, { client, role, operation, field }: UsageFilter): boolean {
  if (client !== undefined && record.client !== client) return false;
  if (role !== undefined && record.role !== role) return false;
  if (operation !== undefined && record.operation.name !== operation) return false;
  return field === undefined || record.operation.coordinates.has(field);
}

type Group = readonly [UsageRecord, ...UsageRecord[]];

function groupedBy(
  records: readonly UsageRecord[],
  keysOf: (record: UsageRecord) => Iterable<string>,
): readonly (readonly [key: string, group: Group, sum: Sum])[] {
  const groups = new Map<string, [UsageRecord, ...UsageRecord[]]>();
  for (const record of records)
    for (const key of keysOf(record)) {
      const group = groups.get(key);
      if (group) group.push(record);
      else groups.set(key, [record]);
    }
  return [...groups]
    .map(([key, group]) => [key, group, sumOf(group)] as const)
    .sort(([one, , { count }], [two, , { count: other }]) => other - count || (one < two ? -1 : 1));
}

function sumOf(group: Group): Sum {
  let [count, errors, first, last] = [0, 0, Number.POSITIVE_INFINITY, 0];
  for (const record of group) {
    count += record.count;
    errors += record.errors;
    first = Math.min(first, record.first);
    last = Math.max(last, record.last);
  }
  return { count, errors, first: new Date(first).toISOString(), last: new Date(last).toISOString() };
}

function clientNames(group: Group): readonly string[] {
  const names = group.map(({ client, version }) => [client ?? '(none)', version].filter(Boolean).join(' '));
  return [...distinct(names)].sort();
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
