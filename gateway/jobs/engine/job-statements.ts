import type { JobState } from './job.ts';
import { CLOCK_SKEW_MS, firstUuidOf } from './uuid-v7.ts';

/** A filter of jobs. All given conditions apply. */
export interface JobFilter {
  readonly ids?: readonly string[] | undefined;
  readonly states?: readonly JobState[] | undefined;
  readonly kind?: string | undefined;
  readonly queue?: string | undefined;
  readonly tenant?: string | undefined;
  /** Only jobs that were accepted before this time. */
  readonly before?: Date | undefined;
  /** Only jobs behind this id in a list with the newest job first. The job of this id need not exist. */
  readonly after?: string | undefined;
}

/** Kinds of jobs with spare attempts, which are used up when a process ends in the middle of an attempt. */
const KINDS_WITH_SPARE_ATTEMPTS = ['cron', 'scheduled-event', 'delivery'];
export const SPARE_ATTEMPTS = 5;

/** How often a job may fail. */
const MAX_ATTEMPTS = `CASE WHEN kind IN (${KINDS_WITH_SPARE_ATTEMPTS.map((kind) => `'${kind}'`).join(', ')})
  THEN greatest(max_attempts - ${SPARE_ATTEMPTS}, 1) ELSE max_attempts END`;

/** The columns of a job in a list, selected from `jobColumns`. */
export const SUMMARY = `id, kind, queue, tenant, order_key AS "orderKey", idempotency_key AS "idempotencyKey", state, attempts,
  ${MAX_ATTEMPTS} AS "maxAttempts", accepted_at AS "acceptedAt", run_at AS "runAt", expires_at AS "expiresAt",
  started_at AS "startedAt", finished_at AS "finishedAt", reason`;

/** The tables of jobs, with the states that each contains. */
const TABLES = [
  {
    name: 'live',
    states: ['scheduled', 'waiting', 'queued', 'running'],
    columns: `state, run_at, expires_at, NULL::timestamptz AS finished_at, payload, NULL::jsonb AS output, NULL::jsonb AS errors`,
  },
  {
    name: 'finished',
    states: ['done', 'failed', 'expired', 'cancelled'],
    columns: `state, NULL::timestamptz AS run_at, NULL::timestamptz AS expires_at, finished_at, NULL::jsonb AS payload, output, errors`,
  },
  {
    name: 'dead',
    states: ['dead'],
    columns: `'dead'::text AS state, NULL::timestamptz AS run_at, NULL::timestamptz AS expires_at, finished_at, payload,
      NULL::jsonb AS output, errors`,
  },
] as const satisfies readonly { name: string; states: readonly JobState[]; columns: string }[];

/** The columns that all tables of jobs share. */
export function jobColumns(name: (typeof TABLES)[number]['name']): string {
  return `id, kind, queue, tenant, order_key, idempotency_key, attempts, max_attempts, accepted_at, started_at, reason, owner,
    ${TABLES.find((table) => table.name === name)?.columns}`;
}

export type IdOrder = 'ASC' | 'DESC';

/** A range of ids in one order: behind `behind`, up to and including `upTo`. */
export interface IdRange {
  readonly order: IdOrder;
  readonly behind: string | undefined;
  readonly upTo: string | undefined;
}

/** The tables that may contain jobs of a filter. */
export function tablesOf({ states }: JobFilter) {
  return TABLES.filter((table) => !states || table.states.some((state) => states.includes(state)));
}

/**
 * Selects the jobs of a filter in the order of their ids, which is the order of acceptance. Each table is read by its index of
 * ids, so the number of finished jobs that are kept does not matter.
 */
export function jobsOf(filter: JobFilter, { order, behind, upTo }: IdRange, limit: number, also = 'true') {
  const { condition, values } = conditionOf(filter);
  const isDescending = order === 'DESC';
  const range = [
    ...(behind === undefined ? [] : [`id ${isDescending ? '<' : '>'} $${values.push(behind)}::uuid`]),
    ...(upTo === undefined ? [] : [`id ${isDescending ? '>=' : '<='} $${values.push(upTo)}::uuid`]),
  ];
  const conditions = [condition, also, ...range].join(' AND ');
  const parts = tablesOf(filter)
    .map(
      ({ name }) => `(
        SELECT * FROM (SELECT ${jobColumns(name)} FROM portico_jobs.${name}) AS of_table WHERE ${conditions} ORDER BY id ${order} LIMIT ${limit}
      )`,
    )
    .join(' UNION ALL ');
  return { text: `(${parts}) AS job ORDER BY id ${order} LIMIT ${limit}`, values };
}

export const ANY_ID: IdRange = { order: 'DESC', behind: undefined, upTo: undefined };

/** Builds the statement of a list. */
export function listStatement(
  filter: JobFilter,
  limit: number,
  range: IdRange = ANY_ID,
): { text: string; values: readonly unknown[] } {
  const { text, values } = jobsOf(filter, range, limit);
  return { text: `SELECT ${SUMMARY} FROM ${text}`, values };
}

/** Returns an id that all jobs of a filter precede. Ids contain the time of acceptance, with a small error. */
export function firstBehind({ before, after }: JobFilter): string | undefined {
  const bounds = [before && firstUuidOf(before.getTime() + CLOCK_SKEW_MS), after?.toLowerCase()];
  return bounds.filter((id) => id !== undefined).sort()[0];
}

function conditionOf({ ids, states, kind, queue, tenant, before, after }: JobFilter): {
  condition: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const conditions = ['true'];
  const add = (text: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(text(`$${values.length}`));
  };
  add((parameter) => `id = ANY (${parameter}::uuid[])`, ids);
  add((parameter) => `state = ANY (${parameter}::text[])`, states);
  add((parameter) => `kind = ${parameter}`, kind);
  add((parameter) => `queue = ${parameter}`, queue);
  add((parameter) => `tenant = ${parameter}`, tenant);
  add((parameter) => `accepted_at < ${parameter}`, before);
  add((parameter) => `id < ${parameter}::uuid`, after);
  return { condition: conditions.join(' AND '), values };
}
