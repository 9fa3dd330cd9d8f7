import { DAY_MS, type Span } from '../../platform/index.ts';
import { GatewayError } from '../errors.ts';
import { Batcher } from './batcher.ts';
import type { JobCounts } from './counts.ts';
import { failureOf, type JobsDatabase } from './database/index.ts';
import { jobsUnavailable, tooManyJobsWait } from './errors.ts';
import type { AcceptedJob, NewJob } from './job.ts';
import { jsonbText } from './jsonb-text.ts';
import { uuidV7 } from './uuid-v7.ts';

const MAX_BATCH = 500;
/** Far below what a `jsonb` of PostgreSQL holds, which takes several times the text. */
const MAX_BATCH_BYTES = 16 * 1024 ** 2;
const MAX_BATCHES = 2;
/** Jobs that wait to be written, in memory: their callers wait too. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 64 * 1024 ** 2;
/** No job is planned for later: years of more digits have another form in ISO 8601. */
const LATEST_MS = Date.UTC(9999, 0);
const LONGEST_VALID_MS = 100 * 366 * DAY_MS;

interface AcceptedRow {
  readonly index: number;
  readonly id: string;
  readonly is_known: boolean;
}

/** A job as it is sent. */
interface JobText {
  /** A JSON object without its id. */
  readonly text: string;
  readonly bytes: number;
}

/** Writes jobs to the database, those that come at the same time in one transaction. */
export class JobAcceptor {
  readonly #batches: Batcher<JobText, AcceptedJob>;
  readonly #counts: JobCounts;
  readonly #onAccepted: () => void;

  /** @param onAccepted called when jobs were committed that may be run. */
  constructor(database: JobsDatabase, counts: JobCounts, onAccepted: () => void) {
    this.#counts = counts;
    this.#onAccepted = onAccepted;
    this.#batches = new Batcher((jobs) => insert(database, jobs), {
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      maxBatches: MAX_BATCHES,
      isOfItem: (error) => failureOf(error) !== 'database',
    });
  }

  /** @throws GatewayError when it was not committed, or may not have been. */
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
      if (!accepted.isKnown) this.#counts.accepted(job.kind);
      this.#onAccepted();
      return accepted;
    } catch (error) {
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
  });
  return { text, bytes: Buffer.byteLength(text) };
}

function boundedTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(Math.min(Math.max(ms, 0), LATEST_MS)).toISOString();
}

/** Names and values in turn, as an object. */
function pairs(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let i = 0; i + 1 < headers.length; i += 2) object[headers[i] as string] = headers[i + 1] as string;
  return object;
}

async function insert(database: JobsDatabase, jobs: readonly JobText[]): Promise<readonly AcceptedJob[]> {
  // Its clock is known after that.
  await database.migrate();
  const ids = jobs.map(() => uuidV7(database.clock.now()));
  const texts = jobs.map(({ text }, index) => `{"index":${index},"id":"${ids[index]}",${text.slice(1)}`);
  const rows = await database.query<AcceptedRow>('SELECT * FROM portico_jobs.accept($1::jsonb)', [`[${texts.join()}]`]);
  const known = new Map(rows.filter(({ is_known }) => is_known).map(({ index, id }) => [index, id]));
  return ids.map((own, index) => {
    const id = known.get(index);
    return id === undefined ? { id: own, isKnown: false } : { id, isKnown: true };
  });
}
