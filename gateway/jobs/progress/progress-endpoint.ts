import { isJsonObject, type Logger, suggestion } from '../../../platform/index.ts';
import { methodNotAllowed, toLoggedError } from '../../errors.ts';
import { type HttpExchange, receiveJson, sendFlatError, sendJson } from '../../transports/http/index.ts';
import type { Jobs, Json, ProgressChange, ReportingAttempt } from '../engine/index.ts';
import { invalidProgress, notReporting, tooManyReports, unknownAction } from './errors.ts';
import { PacedReports } from './paced-reports.ts';

/** The largest body in bytes. */
const MAX_PROGRESS_BYTES = 262_144;
/** The most characters of a message. */
const MAX_MESSAGE = 1_000;
/** The most credentials that the database is asked about at a time, so that strangers do not keep it busy. */
const MAX_CHECKS = 16;
/** The most bodies that are read and stored at a time. */
const MAX_BODIES = 200;
const BEARER = /^bearer +([\w-]+)$/i;
const MEMBERS = ['percent', 'message', 'output'];

export interface ProgressEndpointOptions {
  readonly jobs: Pick<Jobs, 'progress' | 'checkOutput'>;
  readonly maxBodyBytes: number;
  /** How often the progress of a job is written per second. */
  readonly perSecond: number;
  readonly log: Logger;
}

export interface ProgressEndpoint {
  /**
   * Handles `PATCH /v1/jobs/progress`: 204 once the report is committed, 202 if it is merged with the reports that follow it
   * within the interval.
   */
  handle(exchange: HttpExchange): Promise<void>;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** Takes the progress that handlers of asynchronous actions report. */
export function progressEndpoint({ jobs, maxBodyBytes, perSecond, log }: ProgressEndpointOptions): ProgressEndpoint {
  const maxBytes = Math.min(maxBodyBytes, MAX_PROGRESS_BYTES);
  const reports = new PacedReports(jobs.progress, perSecond, log);
  let checks = 0;
  let bodies = 0;

  /** The body of a stranger is not read. */
  async function attemptOf(credential: string): Promise<ReportingAttempt> {
    const recent = reports.recent(credential);
    if (recent) return recent;
    if (checks >= MAX_CHECKS) throw tooManyReports();
    checks++;
    try {
      const attempt = await jobs.progress.attemptOf(credential);
      if (!attempt) throw notReporting(true);
      return attempt;
    } finally {
      checks--;
    }
  }

  async function report(exchange: HttpExchange): Promise<202 | 204> {
    const { request } = exchange;
    if (request.method !== 'PATCH') throw methodNotAllowed('PATCH');
    const { authorization } = request.headers;
    if (authorization === undefined) throw notReporting(false);
    const credential = BEARER.exec(authorization)?.[1];
    if (credential === undefined) throw notReporting(true);
    const attempt = await attemptOf(credential);
    if (bodies >= MAX_BODIES) throw tooManyReports();
    bodies++;
    try {
      const change = readChange(await receiveJson(exchange, maxBytes), attempt, jobs);
      const reported = await reports.add(credential, attempt, change);
      if (reported === 'over') throw notReporting(true);
      if (reported === 'too-many') throw tooManyReports();
      return reported === 'written' ? 204 : 202;
    } finally {
      bodies--;
    }
  }

  return {
    handle: async (exchange) => {
      try {
        const status = await report(exchange);
        if (status === 204) exchange.response.writeHead(204).end();
        else sendJson(exchange, 202, {});
      } catch (thrown) {
        sendFlatError(exchange, toLoggedError(thrown, exchange));
      }
    },
    close: () => reports.close(),
  };
}

/** @throws GatewayError for a body that is no report, or whose output does not fit the action's type. */
function readChange(
  body: unknown,
  { kind, queue }: ReportingAttempt,
  { checkOutput }: Pick<Jobs, 'checkOutput'>,
): ProgressChange {
  if (!isJsonObject(body)) throw invalidProgress('', 'expected an object with percent, message or output');
  for (const member of Object.keys(body))
    if (!MEMBERS.includes(member))
      throw invalidProgress('', `a member is not one of ${MEMBERS.join(', ')}${suggestion(member, MEMBERS)}`);
  const { percent, message, output } = body as { percent?: unknown; message?: unknown; output?: Json };
  if (percent === undefined && message === undefined && output === undefined)
    throw invalidProgress('', 'expected percent, message or output');
  return {
    ...(percent !== undefined && { percent: readPercent(percent) }),
    ...(message !== undefined && { message: readMessage(message) }),
    ...(output !== undefined && { output: readOutput(output, checkOutput(kind, queue, output)) }),
  };
}

function readPercent(percent: unknown): number | null {
  if (percent === null || (typeof percent === 'number' && percent >= 0 && percent <= 100)) return percent;
  throw invalidProgress('percent', 'expected a number from 0 to 100');
}

function readMessage(message: unknown): string | null {
  if (message === null || (typeof message === 'string' && message.length <= MAX_MESSAGE)) return message;
  throw invalidProgress('message', `expected a text of at most ${MAX_MESSAGE} characters`);
}

function readOutput(output: Json, checked: ReturnType<Jobs['checkOutput']>): Json {
  if (output === null) return null;
  if (!checked) throw unknownAction();
  if ('problem' in checked) throw invalidProgress('output', checked.problem);
  return checked.output;
}
