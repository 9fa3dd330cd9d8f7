import type { GraphQLSchema } from 'graphql';
import { dayOf, OTHER, type RecordedUsage, UNKNOWN, type UsageRecord, usageOfCoordinates } from '../usage/index.ts';
import type { Change, ClientChange } from './changes.ts';
import { ANY_OTHER_ROLE } from './roles.ts';

/** Recorded uses of an element that a breaking change removes. */
export interface ChangeUsage {
  /** The first day of the usage, in UTC. */
  readonly since: string;
  /** `used`, `unused`, or `unknown` if usage cannot show whom the change affects. */
  readonly verdict: 'used' | 'unused' | 'unknown';
  /** How often operations that use the element ran. */
  readonly count: number;
  /** The callers of these operations, the most frequent first. */
  readonly by: readonly {
    readonly client?: string;
    readonly version?: string;
    readonly role: string;
    readonly operation?: string;
    readonly type: string;
    readonly count: number;
    readonly first: string;
    readonly last: string;
  }[];
  /** The number of days, and how many of them have no records, which makes `unused` uncertain. */
  readonly days: number;
  readonly daysWithoutRecord: number;
  /** Unreadable lines of usage files, from any time. Each may record a use. */
  readonly unreadableLines: number;
}

/** A breaking change with the uses of the removed element. */
export interface WeighedChange extends Change {
  readonly usage?: ChangeUsage;
  /** Set if the change is allowed although it is breaking. */
  readonly allowed?: true;
}

export interface UsageOfChanges {
  readonly usage: RecordedUsage;
  /** The beginning of the usage to consider, in milliseconds since the epoch. */
  readonly since: number;
  readonly now: number;
  /** Whether breaking changes of unused elements are allowed. */
  readonly allowUnused: boolean;
}

/** The state before the change, for which recorded operations were valid. */
export interface BeforeChange {
  readonly schema: GraphQLSchema;
  /** The roles that the metadata names, and the admin. */
  readonly roles: readonly string[];
}

/** Adds to each breaking change the uses of the removed element. */
export function weighChanges(
  changes: readonly ClientChange[],
  { usage, since, now, allowUnused }: UsageOfChanges,
  { schema, roles }: BeforeChange,
): readonly WeighedChange[] {
  const isUsed = usageOfCoordinates(schema);
  const days = daysBetween(since, now);
  const recorded = {
    since: dayOf(since),
    days: days.length,
    daysWithoutRecord: days.filter((day) => !usage.days.has(day)).length,
    unreadableLines: usage.unreadable,
  };
  return changes.map(({ coordinate, ...change }): WeighedChange => {
    if (!change.breaking) return change;
    if (coordinate === undefined) return { ...change, usage: { ...recorded, verdict: 'unknown', count: 0, by: [] } };
    const found = usage.records
      .filter((record) => isRoleOf(record, change.roles, roles))
      .filter(({ operation }) => operation.type === UNKNOWN || isUsed(operation, coordinate))
      .sort((one, two) => two.count - one.count);
    const count = found.reduce((sum, record) => sum + record.count, 0);
    const verdict = count > 0 ? 'used' : 'unused';
    const isCertain = recorded.daysWithoutRecord === 0 && usage.unreadable === 0;
    const isAllowed = allowUnused && verdict === 'unused' && isCertain;
    return {
      ...change,
      ...(isAllowed && { allowed: true }),
      usage: { ...recorded, verdict, count, by: found.map(usedBy) },
    };
  });
}

/** Returns whether a change for some roles affects the role of a record. */
function isRoleOf({ role }: UsageRecord, changed: readonly string[] | undefined, named: readonly string[]): boolean {
  if (!changed || role === OTHER || changed.includes(role)) return true;
  return changed.includes(ANY_OTHER_ROLE) && !named.includes(role);
}

function usedBy({ operation, client, version, role, count, first, last }: UsageRecord): ChangeUsage['by'][number] {
  return {
    ...(client !== undefined && { client }),
    ...(version !== undefined && { version }),
    role,
    ...(operation.name !== undefined && { operation: operation.name }),
    type: operation.type,
    count,
    first: new Date(first).toISOString(),
    last: new Date(last).toISOString(),
  };
}

function daysBetween(from: number, to: number): readonly string[] {
  const days: string[] = [];
  for (let time = from; dayOf(time) <= dayOf(to); time += 86_400_000) days.push(dayOf(time));
  return days;
}

/** The most users that a line of a change names. */
const NAMED_USERS = 3;

/** Returns the text about usage that follows a breaking change in the report. */
export function usageText({
  verdict,
  count,
  by,
  since,
  days,
  daysWithoutRecord,
  unreadableLines,
}: ChangeUsage): string {
  if (verdict === 'unknown') return 'usage does not tell whom it affects';
  if (verdict === 'unused') {
    const recorded = days - daysWithoutRecord;
    if (daysWithoutRecord > 0) return `probably unused: usage was recorded on ${recorded} of ${days} days`;
    if (unreadableLines > 0) return `probably unused: unreadable usage lines: ${unreadableLines}`;
    return `unused since ${since} (${days} days)`;
  }
  const named = by.slice(0, NAMED_USERS).map(userText).join('; ');
  const more = by.length > NAMED_USERS ? `; ${by.length - NAMED_USERS} more, ${count} times together` : '';
  return `used by ${named}${more}`;
}

/** Names for operations that are not identified. `other` stands for all operations that are not counted separately. */
const WITHOUT_NAME: Readonly<Record<string, string>> = {
  [OTHER]: 'other operations',
  [UNKNOWN]: 'an operation whose line cannot be read',
};

function userText({ client, version, role, operation, type, count, first, last }: ChangeUsage['by'][number]): string {
  const name = client === undefined ? 'clients without a name' : `client ${client}`;
  const versioned = version === undefined ? name : `${name} ${version}`;
  const what = WITHOUT_NAME[type] ?? (operation ? `operation ${operation}` : `an unnamed ${type}`);
  const times = count === 1 ? 'once' : `${count} times`;
  return `${versioned}, ${what}, role ${role}, ${times} since ${first.slice(0, 10)}, last on ${last.slice(0, 10)}`;
}
