import { DAY_MS, type Span } from '../../platform/index.ts';
import { Batcher } from './batcher.ts';
import type { JobCounts } from './counts.ts';
import type { JobsDatabase } from './database.ts';
import { jobsUnavailable, tooManyJobsWait } from './errors.ts';
import type { AcceptedJob, NewJob } from './job.ts';
import { jsonbText } from './jsonb-text.ts';
import { uuidV7 } from './uuid-v7.ts';

const MAX_BATCH = 500;
const MAX_BATCHES = 2;
/** Jobs that wait to be written, in memory: their callers wait too. */
const MAX_WAITING = 10_000;
/** PostgreSQL's timestamps end after that; nobody plans for longer. */
const MAX_AHEAD_MS = 100 * 366 * DAY_MS;

interface AcceptedRow {
  readonly index: number;
  readonly id: string;
  readonly is_known: boolean;
}

/** Writes jobs to the database, those that come at the same time in one transaction. */
export class JobAcceptor {
  readonly #batches: Batcher<object, AcceptedJob>;
  readonly #counts: JobCounts;
  readonly #onAccepted: () => void;

  /** @param onAccepted called when jobs were committed that may be run. */
  constructor(database: JobsDatabase, counts: JobCounts, onAccepted: () => void) {
    this.#counts = counts;
    this.#onAccepted = onAccepted;
    this.#batches = new Batcher((jobs) => insert(database, jobs), { maxItems: MAX_BATCH, maxBatches: MAX_BATCHES });
  }

  /** @throws GatewayError when it was not committed, or may not have been. */
  async accept(job: NewJob): Promise<AcceptedJob> {
    if (this.#batches.waiting >= MAX_WAITING) {
      this.#counts.refused(job.kind);
      throw tooManyJobsWait();
    }
    const span = job.span?.startChild('enqueue job', 'producer');
    try {
      const accepted = await this.#batches.add(rowOf(job, span));
      if (!accepted.isKnown) this.#counts.accepted(job.kind);
      this.#onAccepted();
      return accepted;
    } catch (error) {
      this.#counts.refused(job.kind);
      span?.fail('service-unavailable');
      throw Object.assign(jobsUnavailable(), { cause: error });
    } finally {
      span?.end();
    }
  }
}

function rowOf(job: NewJob, span: Span | undefined): object {
  return {
    id: uuidV7(),
    kind: job.kind,
    queue: job.queue,
    tenant: job.tenant ?? '',
    order_key: job.orderKey,
    given_key: job.idempotencyKey,
    run_at: timeOf(job.runAt),
    expires_at: timeOf(job.expiresAt),
    max_attempts: job.maxAttempts,
    payload: job.payload,
    trace: span && pairs(span.headers),
    owner: job.owner,
    is_watched: job.isWatched ?? false,
  };
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(Math.min(Math.max(ms, 0), Date.now() + MAX_AHEAD_MS)).toISOString();
}

/** Names and values in turn, as an object. */
function pairs(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let i = 0; i + 1 < headers.length; i += 2) object[headers[i] as string] = headers[i + 1] as string;
  return object;
}

async function insert(database: JobsDatabase, jobs: readonly object[]): Promise<readonly AcceptedJob[]> {
  const numbered = jobs.map((job, index) => ({ ...job, index }));
  const rows = await database.query<AcceptedRow>('SELECT * FROM portico_jobs.accept($1::jsonb)', [jsonbText(numbered)]);
  const known = new Map(rows.filter(({ is_known }) => is_known).map(({ index, id }) => [index, id]));
  return numbered.map((job, index) => {
    const id = known.get(index);
    return id === undefined ? { id: (job as unknown as { id: string }).id, isKnown: false } : { id, isKnown: true };
  });
}
