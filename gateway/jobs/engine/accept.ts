import { DAY_MS, type Span } from '../../../platform/index.ts';
import { GatewayError } from '../../errors.ts';
import { Batcher } from './batcher.ts';
import type { JobCounts } from './counts.ts';
import { failureOf, type JobsDatabase } from './database/index.ts';
import { type JobQuotas, jobsUnavailable, tooManyJobsOf, tooManyJobsWait } from './errors.ts';
import type { AcceptedJob, NewJob } from './job.ts';
import { jsonbText } from './jsonb-text.ts';
import { uuidV7 } from './uuid-v7.ts';

const MAX_BATCH = 500;
/** Far below the limit of `jsonb` in PostgreSQL, whose binary form takes several times the size of the text. */
const MAX_BATCH_BYTES = 16 * 1024 ** 2;
const MAX_BATCHES = 2;
/** The most jobs that wait in memory to be written. Their callers wait too. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 ** 2;
/** Jobs cannot be scheduled later: years with more digits have another form in ISO 8601. */
const LATEST_MS = Date.UTC(9999, 0);
const LONGEST_VALID_MS = 100 * 366 * DAY_MS;

interface AcceptedRow {
  readonly index: number;
  readonly id: string;
  readonly is_known: boolean;
  /** The quota that the job exceeds. Absent in statements without quotas. */
  readonly over_quota?: keyof JobQuotas | null;
}

/** The database's decision about a job. */
type Acceptance = AcceptedJob | { readonly overQuota: keyof JobQuotas };

/** A job as it is sent to the database. */
interface JobText {
  /** A JSON object without the job's id. */
  readonly text: string;
  readonly bytes: number;
  readonly isLimited: boolean;
}

/** Writes jobs to the database. Jobs that arrive at the same time share a transaction. */
export class JobAcceptor {
  readonly #batches: Batcher<JobText, Acceptance>;
  readonly #counts: JobCounts;
  readonly #onAccepted: () => void;

  /** @param onAccepted called when jobs were committed that may run. */
  constructor(database: JobsDatabase, counts: JobCounts, onAccepted: () => void, quotas: JobQuotas = {}) {
    this.#counts = counts;
    this.#onAccepted = onAccepted;
    this.#batches = new Batcher((jobs) => insert(database, quotas, jobs), {
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      maxBatches: MAX_BATCHES,
      isOfItem: (error) => failureOf(error) !== 'database',
    });
  }

  /**
   * @throws GatewayError `job-limit-exceeded` if the job exceeds a quota, `service-unavailable` if it was not committed or may
   * not have been.
   */
  async accept(job: NewJob): Promise<AcceptedJob> {
    if (this.#batches.waiting >= MAX_WAITING) {
      this.#counts.refused(job.kind);
      throw tooManyJobsWait();
    }
    const span = job.span?.startChild('enqueue job', 'producer');
    try {
      const text = encodeJob(job, span);
      if (this.#batches.waitingBytes + text.bytes > MAX_WAITING_BYTES) throw tooManyJobsWait();
      const accepted = await this.#batches.add(text);
      if ('overQuota' in accepted) {
        this.#counts.overQuota(job.kind, accepted.overQuota);
        span?.fail('job-limit-exceeded');
        throw tooManyJobsOf(accepted.overQuota);
      }
      if (!accepted.isKnown) this.#counts.accepted(job.kind);
      this.#onAccepted();
      return accepted;
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'job-limit-exceeded') throw error;
      this.#counts.refused(job.kind);
      span?.fail('service-unavailable');
      if (error instanceof GatewayError) throw error;
      throw Object.assign(jobsUnavailable(), { cause: error });
    } finally {
      span?.end();
    }
  }
}

function encodeJob(job: NewJob, span: Span | undefined): JobText {
  const text = jsonbText({
    kind: job.kind,
    queue: job.queue,
    tenant: job.tenant ?? '',
    order_key: job.orderKey,
    given_key: job.idempotencyKey,
    run_at: boundedTime(job.runAt),
    valid_for_ms: job.validForMs === undefined ? undefined : Math.min(Math.max(job.validForMs, 0), LONGEST_VALID_MS),
    max_attempts: job.maxAttempts,
    payload: job.payload,
    trace: span && pairs(span.headers),
    owner: job.owner,
    is_watched: job.isWatched ?? false,
    is_limited: job.isLimited,
  });
  return { text, bytes: Buffer.byteLength(text), isLimited: job.isLimited ?? false };
}

function boundedTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(Math.min(Math.max(ms, 0), LATEST_MS)).toISOString();
}

/** Turns alternating names and values into an object. */
function pairs(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let i = 0; i + 1 < headers.length; i += 2) object[headers[i] as string] = headers[i + 1] as string;
  return object;
}

async function insert(
  database: JobsDatabase,
  { user, tenant }: JobQuotas,
  jobs: readonly JobText[],
): Promise<readonly Acceptance[]> {
  // Migrating also sets the database's clock.
  await database.migrate();
  const ids = jobs.map(() => uuidV7(database.clock.now()));
  const texts = jobs.map(({ text }, index) => `{"index":${index},"id":"${ids[index]}",${text.slice(1)}`);
  const list = `[${texts.join()}]`;
  const hasQuotas = (user !== undefined || tenant !== undefined) && jobs.some(({ isLimited }) => isLimited);
  const rows = hasQuotas
    ? await database.query<AcceptedRow>('SELECT * FROM portico_jobs.accept_within($1::jsonb, $2, $3)', [
        list,
        user ?? null,
        tenant ?? null,
      ])
    : await database.query<AcceptedRow>('SELECT * FROM portico_jobs.accept($1::jsonb)', [list]);
  const known = new Map(rows.filter(({ is_known }) => is_known).map(({ index, id }) => [index, id]));
  const refused = new Map(rows.flatMap(({ index, over_quota }) => (over_quota ? [[index, over_quota]] : [])));
  return ids.map((own, index) => {
    const overQuota = refused.get(index);
    if (overQuota) return { overQuota };
    const id = known.get(index);
    return id === undefined ? { id: own, isKnown: false } : { id, isKnown: true };
  });
}
