import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { ADMIN_SECRET } from './jobs-cluster.ts';

/** A job whose id a caller was given. */
export interface AcceptedJob {
  readonly id: string;
  readonly caller: string;
  /** Counts up for each caller. One whose request failed is left out. */
  readonly number: number;
  readonly isInTurn: boolean;
}

export interface JobCallers {
  readonly accepted: readonly AcceptedJob[];
  /** Requests that gave out no id, by their error. */
  readonly refused: ReadonlyMap<string, number>;
  /** Resolves when as many jobs as were asked for have been accepted. */
  readonly done: Promise<void>;
  stop(): void;
}

export interface JobCallersOptions {
  readonly urls: readonly string[];
  readonly jobs: number;
  /** Requests a second at most. */
  readonly rate: number;
}

/** Each sends one request after another, so that the order in which its jobs were accepted is known. */
const CALLERS_IN_TURN = 60;
const CALLERS_AT_ONCE = 20;
const REQUEST_TIMEOUT_MS = 10_000;

/** Asks for jobs at a steady rate, of any of the gateways, until enough have been accepted. */
export function startJobCallers({ urls, jobs, rate }: JobCallersOptions): JobCallers {
  const accepted: AcceptedJob[] = [];
  const refused = new Map<string, number>();
  const startedAt = performance.now();
  let tickets = 0;
  let isStopped = false;
  const isOver = () => isStopped || accepted.length >= jobs;

  async function call(caller: string, isInTurn: boolean): Promise<void> {
    for (let number = 1; !isOver(); number++) {
      await sleep(Math.max(0, startedAt + (tickets++ * 1000) / rate - performance.now()));
      if (isOver()) return;
      const field = isInTurn ? 'in_turn' : 'at_once';
      const outcome = await askForJob(urls[tickets % urls.length] ?? '', caller, field, number);
      if ('id' in outcome) accepted.push({ id: outcome.id, caller, number, isInTurn });
      else refused.set(outcome.error, (refused.get(outcome.error) ?? 0) + 1);
    }
  }
  const callers = [
    ...Array.from({ length: CALLERS_IN_TURN }, (_, index) => call(`in turn ${index}`, true)),
    ...Array.from({ length: CALLERS_AT_ONCE }, (_, index) => call(`at once ${index}`, false)),
  ];
  return {
    accepted,
    refused,
    done: Promise.all(callers).then(() => {}),
    stop: () => {
      isStopped = true;
    },
  };
}

interface MutationAnswer {
  readonly data?: Readonly<Record<string, string>> | null;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

async function askForJob(
  url: string,
  caller: string,
  field: string,
  number: number,
): Promise<{ id: string } | { error: string }> {
  try {
    const { statusCode, body } = await request(`${url}/v1/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hasura-admin-secret': ADMIN_SECRET,
        'x-hasura-role': 'user',
        'x-hasura-user-id': caller,
        'x-hasura-tenant-id': caller.slice(-1),
      },
      body: JSON.stringify({
        query: `mutation ($number: Int!) { job: ${field}(number: $number) }`,
        variables: { number },
      }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const answer = (await body.json()) as MutationAnswer;
    const id = answer.data?.job;
    if (id !== undefined) return { id };
    return { error: `${statusCode} ${answer.errors?.[0]?.extensions?.code ?? 'without a code'}` };
  } catch (error) {
    const { code, name } = error as { code?: string; name: string };
    return { error: code ?? name };
  }
}
