import { z } from 'zod';
import { mapping, problemsOfShape } from '../../metadata/index.ts';
import type { JobState, Jobs, ScheduledJob, ScheduledJobFilter } from '../engine/index.ts';
import { CRON_KIND } from './cron-runner.ts';
import type { CronTrigger } from './cron-triggers.ts';
import { cronTriggersAreFiles, invalidArguments, noSuchSchedule, scheduleStoreUnavailable } from './errors.ts';
import { describedEvent, newEventShape, ONE_OFF_KIND, type OneOffEvents } from './one-off-events.ts';

export interface CommandOptions {
  readonly jobs: Pick<Jobs, 'admin' | 'invocations' | 'scheduled'>;
  readonly oneOff: Pick<OneOffEvents, 'create'>;
  readonly triggers: () => ReadonlyMap<string, CronTrigger>;
}

/** A command of the metadata API. */
type ScheduleCommand = (args: unknown) => Promise<unknown>;

const EVENT_STATUSES = ['scheduled', 'locked', 'delivered', 'error', 'dead'] as const;

/** The job states for each of Hasura's statuses. A deleted event is cancelled, and is not listed. */
const STATES_OF_STATUS: Readonly<Record<(typeof EVENT_STATUSES)[number], readonly JobState[]>> = {
  scheduled: ['scheduled', 'waiting', 'queued'],
  locked: ['running'],
  delivered: ['done'],
  error: ['failed', 'dead'],
  dead: ['expired'],
};

const MAX_LIMIT = 1_000;
const paging = {
  limit: z.int().min(0).max(MAX_LIMIT).nullish(),
  offset: z.int().min(0).max(2_147_483_647).nullish(),
  get_rows_count: z.boolean().nullish(),
};
const kind = z.enum(['one_off', 'cron'], { error: 'expected one_off or cron' });
const eventId = z.guid({ error: 'expected a UUID' });

const deleteShape = mapping({ type: kind, event_id: eventId });
const eventsShape = mapping({
  type: kind,
  trigger_name: z.string().nullish(),
  status: z.array(z.enum(EVENT_STATUSES, { error: `expected ${EVENT_STATUSES.join(', ')}` })).nullish(),
  ...paging,
});
const invocationsShape = mapping({
  type: kind.nullish(),
  trigger_name: z.string().nullish(),
  event_id: eventId.nullish(),
  status: z.array(z.enum(EVENT_STATUSES)).nullish(),
  ...paging,
});

/** The commands of Hasura's metadata API about cron triggers and scheduled events, by name. */
export function scheduleCommands({ jobs, oneOff, triggers }: CommandOptions): ReadonlyMap<string, ScheduleCommand> {
  const knownTrigger = (name: string | null | undefined): string => {
    if (name == null) throw invalidArguments('is missing: expected the name of a cron trigger', ['trigger_name']);
    if (!triggers().has(name)) throw noSuchSchedule('cron trigger', 'trigger_name');
    return name;
  };
  const refuse: ScheduleCommand = async () => {
    throw cronTriggersAreFiles();
  };

  return new Map<string, ScheduleCommand>([
    ['create_cron_trigger', refuse],
    ['delete_cron_trigger', refuse],
    ['get_cron_triggers', async () => ({ cron_triggers: [...triggers().values()].map(describedTrigger) })],
    [
      'create_scheduled_event',
      async (args) => {
        const id = await oneOff.create(readCommandArguments(newEventShape, args));
        return { message: 'success', event_id: id };
      },
    ],
    [
      'delete_scheduled_event',
      async (args) => {
        const { type, event_id: id } = readCommandArguments(deleteShape, args);
        const filter = { ids: [id], kind: type === 'cron' ? CRON_KIND : ONE_OFF_KIND };
        const cancelled = await fromStore(() => jobs.admin.cancel(filter));
        if (cancelled === 0) throw noSuchSchedule('scheduled event', 'event_id');
        return { message: 'success' };
      },
    ],
    [
      'get_scheduled_events',
      async (args) => {
        const { type, trigger_name, status, limit, offset, get_rows_count } = readCommandArguments(eventsShape, args);
        const states = (status ?? EVENT_STATUSES).flatMap((one) => STATES_OF_STATUS[one]);
        const filter: ScheduledJobFilter =
          type === 'cron'
            ? { kind: CRON_KIND, queue: knownTrigger(trigger_name), states }
            : { kind: ONE_OFF_KIND, states };
        const rows = await fromStore(() => jobs.scheduled.page(filter, limit ?? MAX_LIMIT, offset ?? 0));
        const count = get_rows_count ? { count: await fromStore(() => jobs.scheduled.count(filter)) } : {};
        return { ...count, events: rows.map((row) => (type === 'cron' ? cronEvent(row) : oneOffEvent(row))) };
      },
    ],
    [
      'get_scheduled_event_invocations',
      async (args) => {
        const { type, trigger_name, event_id, limit, offset, get_rows_count } = readCommandArguments(
          invocationsShape,
          args,
        );
        const isCron = type === 'cron';
        const filter = {
          kind: isCron ? CRON_KIND : ONE_OFF_KIND,
          queue: isCron && event_id == null ? knownTrigger(trigger_name) : undefined,
          job: event_id ?? undefined,
        };
        const page = { ...filter, limit: limit ?? MAX_LIMIT, offset: offset ?? 0 };
        const rows = await fromStore(() => jobs.invocations.page(page));
        const count = get_rows_count ? { count: await fromStore(() => jobs.invocations.count(filter)) } : {};
        return {
          ...count,
          invocations: rows.map(({ id, job, status, request, response, createdAt }) => ({
            id,
            event_id: job,
            status,
            request,
            response,
            created_at: createdAt.toISOString(),
          })),
        };
      },
    ],
  ]);
}

/** @throws GatewayError `parse-failed` with the first invalid argument. */
function readCommandArguments<T>(shape: z.ZodType<T>, args: unknown): T {
  const parsed = shape.safeParse(args ?? {});
  if (parsed.success) return parsed.data;
  const [problem] = problemsOfShape(parsed.error);
  throw invalidArguments(problem?.message ?? 'are not valid', problem?.path ?? []);
}

/** @throws GatewayError `service-unavailable` if the database does not respond. */
async function fromStore<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw Object.assign(scheduleStoreUnavailable(), { cause: error });
  }
}

function describedTrigger({
  metadata: { schedule, webhook, resilience: _, webhook_signature, ...trigger },
}: CronTrigger) {
  return {
    ...trigger,
    webhook: webhook && (webhook.url ?? { from_env: webhook.url_from_env }),
    handler: undefined,
    schedule: schedule.expression,
    time_zone: schedule.timeZone,
    request_transform: undefined,
    response_transform: undefined,
    include_in_metadata: true,
  };
}

function eventStatusOf(state: JobState): string {
  return EVENT_STATUSES.find((status) => STATES_OF_STATUS[status].includes(state)) ?? state;
}

/** Returns the time of the next attempt of an event that has been attempted before. */
function nextRetryAt({ attempts, runAt }: ScheduledJob): string | null {
  return attempts > 0 && runAt ? runAt.toISOString() : null;
}

function cronEvent(job: ScheduledJob) {
  return {
    id: job.id,
    trigger_name: job.queue,
    scheduled_time: job.idempotencyKey,
    status: eventStatusOf(job.state),
    tries: job.attempts,
    created_at: job.acceptedAt.toISOString(),
    next_retry_at: nextRetryAt(job),
  };
}

function oneOffEvent(job: ScheduledJob) {
  const { webhook, headers, ...event } = describedEvent(job.owner?.event);
  return {
    id: job.id,
    webhook_conf: (webhook as { url?: string } | undefined)?.url ?? webhook ?? null,
    header_conf: headers ?? [],
    ...event,
    status: eventStatusOf(job.state),
    tries: job.attempts,
    created_at: job.acceptedAt.toISOString(),
    next_retry_at: nextRetryAt(job),
  };
}
