import { createHash, randomBytes } from 'node:crypto';
import type { JobsDatabase } from './database/index.ts';
import { progressUnavailable } from './errors.ts';
import type { JobProgress, Json, RunningJob } from './job.ts';
import { jsonbText } from './jsonb-text.ts';

/** The bytes of a credential: those of the job's id, then random ones. */
const ID_BYTES = 16;
const SECRET_BYTES = 32;
const CREDENTIAL = new RegExp(`^[\\w-]{${((ID_BYTES + SECRET_BYTES) / 3) * 4}}$`);

/** The part of a progress that a report changes. A member that is null is removed. */
export interface ProgressChange {
  readonly percent?: number | null;
  readonly message?: string | null;
  readonly output?: Json;
}

/** The attempt that a credential belongs to. */
export interface ReportingAttempt {
  readonly job: string;
  readonly kind: string;
  readonly queue: string;
}

/** A row of `current_progress`. */
export interface ProgressRow {
  readonly report: ProgressChange | null;
  readonly reported_at: Date | null;
}

/**
 * The progress that handlers report while their jobs run. Each attempt has a credential of its own, which is of no use before
 * and after the attempt. The database stores a digest of it.
 */
export class ProgressStore {
  readonly #database: JobsDatabase;
  readonly #onReported: (job: string) => void;

  /** @param onReported called with the id of a job whose progress was reported through this process. */
  constructor(database: JobsDatabase, onReported: (job: string) => void) {
    this.#database = database;
    this.#onReported = onReported;
  }

  /**
   * Creates the credential of an attempt. An earlier credential of the job becomes invalid.
   *
   * @returns undefined if the attempt is over.
   * @throws Error if the database does not respond.
   */
  async begin({ id, attempt, begunAt }: Pick<RunningJob, 'id' | 'attempt' | 'begunAt'>): Promise<string | undefined> {
    const secret = Buffer.concat([bytesOf(id), randomBytes(SECRET_BYTES)]);
    const credential = secret.toString('base64url');
    const [row] = await this.#database.query<{ begun: boolean }>(
      'SELECT portico_jobs.begin_progress($1, $2, $3, $4) AS begun',
      [id, attempt, begunAt, digestOfCredential(credential)],
    );
    return row?.begun ? credential : undefined;
  }

  /** Deletes the progress of a job whose attempt is over, together with the credential. */
  async end(id: string, credential: string): Promise<void> {
    await this.#database.query('DELETE FROM portico_jobs.progress WHERE job = $1 AND credential = $2', [
      id,
      digestOfCredential(credential),
    ]);
  }

  /**
   * Returns the attempt of a credential. Undefined for an unknown credential and after the attempt.
   *
   * @throws GatewayError if the database does not respond.
   */
  async attemptOf(credential: string): Promise<ReportingAttempt | undefined> {
    const job = jobOf(credential);
    if (job === undefined) return undefined;
    const [row] = await this.#query<{ kind: string; queue: string }>(
      'SELECT kind, queue FROM portico_jobs.current_progress($1) WHERE credential = $2',
      [job, digestOfCredential(credential)],
    );
    return row && { job, ...row };
  }

  /**
   * Changes the progress of a running attempt and announces it to all processes.
   *
   * @returns false if the attempt is over.
   * @throws GatewayError if the database does not respond.
   */
  async report(credential: string, change: ProgressChange): Promise<boolean> {
    const job = jobOf(credential);
    if (job === undefined) return false;
    const [row] = await this.#query<{ reported: boolean }>(
      'SELECT portico_jobs.report_progress($1, $2, $3::jsonb) AS reported',
      [job, digestOfCredential(credential), jsonbText(change)],
    );
    if (!row?.reported) return false;
    this.#onReported(job);
    return true;
  }

  /** Returns the progress of a job that runs. @throws Error if the database does not respond. */
  async of(id: string): Promise<JobProgress | null> {
    const [row] = await this.#database.query<ProgressRow>(
      'SELECT report, reported_at FROM portico_jobs.current_progress($1)',
      [id],
    );
    return row ? progressOf(row) : null;
  }

  async #query<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#database.query<Row>(text, values).catch((error: unknown) => {
      throw Object.assign(progressUnavailable(), { cause: error });
    });
  }
}

/** @returns null before the first report. */
export function progressOf({ report, reported_at: reportedAt }: ProgressRow): JobProgress | null {
  if (!report || !reportedAt) return null;
  const { percent = null, message = null, output = null } = report;
  return { percent, message, output, reportedAt };
}

/** Returns the job that a credential names. Undefined if the text cannot be a credential. */
function jobOf(credential: string): string | undefined {
  if (!CREDENTIAL.test(credential)) return undefined;
  const hex = Buffer.from(credential, 'base64url').toString('hex', 0, ID_BYTES);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function digestOfCredential(credential: string): Buffer {
  return createHash('sha256').update(credential, 'utf8').digest();
}
