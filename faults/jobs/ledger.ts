import type { AcceptedEvent } from './event-producers.ts';
import type { AcceptedJob } from './job-callers.ts';
import { SUBSCRIPTIONS } from './jobs-cluster.ts';
import type { WebhookCall } from './webhook.ts';

/** A job as the database has it in the end. */
export interface StoredJob {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
}

/** The outcome of all jobs, in numbers. */
export interface JobsCounts {
  readonly accepted: number;
  /** Committed, although the request for it failed. */
  readonly unconfirmed: number;
  readonly calls: number;
  /** Calls that did their work again, with the key of the first time. */
  readonly repeatedEffects: number;
  readonly mostCallsOfOne: number;
  readonly cronTimes: number;
  /** Events that were accepted. */
  readonly events: number;
}

export interface JobsVerdict {
  readonly counts: JobsCounts;
  /** What was not as promised. None: all promises held. */
  readonly problems: readonly string[];
}

const MAX_NAMED = 3;
const MINUTE_MS = 60_000;
/** A shorter run may end before the first time that was planned in it. */
const CRON_SEEN_AFTER_MS = 2 * MINUTE_MS;

/**
 * Holds the calls of the webhook and what the database has against what was accepted.
 *
 * @param lastedMs how long there has been a cron trigger of each minute.
 * @param events that were answered with 202.
 */
export function judgeJobs(
  accepted: readonly AcceptedJob[],
  stored: readonly StoredJob[],
  calls: readonly WebhookCall[],
  lastedMs: number,
  events: readonly AcceptedEvent[] = [],
): JobsVerdict {
  const problems: string[] = [];
  const expectNone = (what: string, found: readonly string[]) => {
    if (found.length > 0) problems.push(`${found.length} ${what}: ${found.slice(0, MAX_NAMED).join(', ')}`);
  };
  const actions = new Map(stored.filter(({ kind }) => kind === 'action').map((job) => [job.id, job]));
  const callsOf = groupedBy(calls, ({ key }) => key);
  const effects = new Set(calls.filter(({ hasEffect }) => hasEffect).map(({ key }) => key));
  const ids = accepted.map(({ id }) => id);

  expectNone(
    'accepted jobs are lost',
    ids.filter((id) => !actions.has(id)),
  );
  expectNone(
    'jobs had no effect',
    [...actions.keys()].filter((id) => !effects.has(id)),
  );
  expectNone(
    'jobs were not done',
    stored.filter(({ state }) => state !== 'done').map(({ id, state }) => `${id} ${state}`),
  );
  const known = new Set(stored.map(({ id }) => id));
  expectNone(
    'calls have a key of no job',
    [...callsOf.keys()].filter((key) => !known.has(key)),
  );
  expectNone(
    'calls came while the same job was running',
    calls.filter(({ overlaps }) => overlaps).map(({ key }) => key),
  );
  expectNone('jobs came with two keys', withTwoKeys(calls));
  expectNone('jobs were run before the one ahead of them was done', outOfTurn(accepted, calls));
  const delivered = new Set(calls.filter(({ hasEffect }) => hasEffect).map(({ delivery }) => deliveryName(delivery)));
  expectNone(
    'deliveries of accepted events are lost',
    events
      .flatMap(({ id }) => SUBSCRIPTIONS.map((subscription) => deliveryName({ subscription, event: id })))
      .filter((name) => !delivered.has(name)),
  );
  expectNone('events were delivered before the one ahead of them was', eventsOutOfTurn(calls));
  const cronCalls = calls.filter(({ scheduledTime }) => scheduledTime !== undefined);
  const cronTimes = groupedBy(cronCalls, ({ scheduledTime = '' }) => scheduledTime);
  expectNone(
    'times of the cron trigger were run as two jobs',
    [...cronTimes].filter(([, of]) => new Set(of.map(({ key }) => key)).size > 1).map(([time]) => time),
  );
  expectNone('times of the cron trigger are missing', missingMinutes([...cronTimes.keys()]));
  if (cronTimes.size === 0 && lastedMs >= CRON_SEEN_AFTER_MS) problems.push('the cron trigger was never run');
  return {
    counts: {
      accepted: accepted.length,
      unconfirmed: actions.size - ids.filter((id) => actions.has(id)).length,
      calls: calls.length,
      repeatedEffects: calls.filter(({ hasEffect }) => hasEffect).length - effects.size,
      mostCallsOfOne: mostOf(callsOf),
      cronTimes: cronTimes.size,
      events: events.length,
    },
    problems,
  };
}

/** Jobs of a caller whose calls had more than one idempotency key. */
function withTwoKeys(calls: readonly WebhookCall[]): readonly string[] {
  const ofActions = calls.filter(({ scheduledTime }) => scheduledTime === undefined);
  return [...groupedBy(ofActions, ({ caller, number }) => `${caller}: ${number}`)]
    .filter(([, of]) => new Set(of.map(({ key }) => key)).size > 1)
    .map(([name]) => name);
}

/** Only of jobs whose callers knew that they were accepted before they asked for the next: the others have no known order. */
function outOfTurn(accepted: readonly AcceptedJob[], calls: readonly WebhookCall[]): readonly string[] {
  const inTurn = new Set(accepted.filter(({ isInTurn }) => isInTurn).map(({ id }) => id));
  return outOfOrder(calls.filter(({ key }) => inTurn.has(key)));
}

/** Producers post one event after another, each until it is accepted. */
function eventsOutOfTurn(calls: readonly WebhookCall[]): readonly string[] {
  return outOfOrder(calls.filter(({ delivery }) => delivery?.subscription === SUBSCRIPTIONS[0]));
}

function deliveryName(delivery: WebhookCall['delivery']): string {
  return delivery ? `${delivery.subscription} ${delivery.event}` : '';
}

/** Calls that came after one of the same caller with a higher number. */
function outOfOrder(calls: readonly WebhookCall[]): readonly string[] {
  const last = new Map<string, number>();
  return calls
    .filter(({ caller, number }) => {
      const before = last.get(caller) ?? 0;
      last.set(caller, Math.max(before, number));
      return number < before;
    })
    .map(({ caller, number }) => `${caller}: ${number}`);
}

/** Minutes between the first and the last that were never run. */
function missingMinutes(times: readonly string[]): readonly string[] {
  const run = new Set(times.map((time) => Date.parse(time)));
  const missing: string[] = [];
  for (let time = Math.min(...run); time <= Math.max(...run); time += MINUTE_MS)
    if (!run.has(time)) missing.push(new Date(time).toISOString());
  return missing;
}

/** The size of the largest group. An hour has more groups than a function may have arguments. */
function mostOf(groups: ReadonlyMap<string, readonly unknown[]>): number {
  let most = 0;
  for (const { length } of groups.values()) most = Math.max(most, length);
  return most;
}

function groupedBy<One>(all: readonly One[], keyOf: (one: One) => string): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
