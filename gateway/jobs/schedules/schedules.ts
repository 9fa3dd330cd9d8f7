import type { Logger } from '../../../platform/index.ts';
import type { Metadata } from '../../metadata/index.ts';
import type { WebhookDependencies, WebhookState } from '../../webhooks/jobs/index.ts';
import type { Jobs } from '../engine/index.ts';
import { calledOrigins } from './called-origins.ts';
import { scheduleCommands } from './commands.ts';
import { CronPlanner } from './cron-planner.ts';
import { CRON_KIND, cronRunner } from './cron-runner.ts';
import { openCronTriggers } from './cron-triggers.ts';
import { ONE_OFF_KIND, OneOffEvents } from './one-off-events.ts';

export interface SchedulesOptions {
  readonly metadata: Metadata;
  readonly dependencies: WebhookDependencies;
  readonly jobs: Jobs;
  /** Whether this process accepts jobs. If so, it plans the times of cron triggers. */
  readonly accepts: boolean;
  /** Origins that one-off events may call in addition to those of the metadata. `*` stands for all. */
  readonly moreOrigins: readonly string[];
  /** Environment variables that one-off events may send anywhere, in addition to those that the metadata sends to an origin. */
  readonly moreVariables: readonly string[];
  readonly log: Logger;
}

/** The cron triggers and one-off events of a process. */
export interface Schedules {
  /** The commands of the metadata API by name. */
  readonly commands: ReadonlyMap<string, (args: unknown) => Promise<unknown>>;
  /**
   * Prepares new metadata and returns a function that activates it. @throws MetadataError if the triggers do not fit the
   * environment.
   */
  prepare(metadata: Metadata): () => void;
  /** Returns the cron triggers of the active metadata, with their times. */
  cronTriggers(): readonly {
    readonly name: string;
    readonly expression: string;
    readonly timeZone: string;
    readonly comment: string | null;
    readonly next: (after: Date) => Date | undefined;
  }[];
  /** Returns the state of the calls to each webhook. */
  states(): readonly WebhookState[];
  /** Starts to plan the times of cron triggers. */
  start(): void;
  stop(): Promise<void>;
}

/**
 * Opens the schedules and registers the handlers of their jobs.
 *
 * @throws MetadataError if the triggers do not fit the environment.
 */
export function openSchedules(options: SchedulesOptions): Schedules {
  const { dependencies, jobs, log, moreOrigins } = options;
  const { environment } = dependencies;
  let triggers = openCronTriggers(options.metadata, dependencies);
  let origins = calledOrigins(options.metadata, environment);
  const { invocations, cronPlans: plans } = jobs;
  const oneOff = new OneOffEvents({
    jobs,
    invocations,
    origins: () => origins,
    moreOrigins,
    moreVariables: options.moreVariables,
    dependencies,
    log,
  });
  const planner = options.accepts ? new CronPlanner({ jobs, plans, triggers: () => triggers, log }) : undefined;
  jobs.handle(CRON_KIND, cronRunner({ triggers: () => triggers, handlers: dependencies.handlers, invocations, log }));
  jobs.handle(ONE_OFF_KIND, oneOff);

  return {
    commands: scheduleCommands({ jobs, oneOff, triggers: () => triggers }),
    prepare: (metadata) => {
      const next = openCronTriggers(metadata, dependencies);
      return () => {
        const removed = [...triggers.keys()].filter((name) => !next.has(name));
        triggers = next;
        origins = calledOrigins(metadata, environment);
        planner?.changed(removed);
      };
    },
    cronTriggers: () =>
      [...triggers.values()].map(({ metadata: { name, schedule, comment } }) => ({
        name,
        expression: schedule.expression,
        timeZone: schedule.timeZone,
        comment: comment ?? null,
        next: (after) => schedule.next(after),
      })),
    states: () => [
      ...[...triggers.values()].flatMap(({ webhook }) => (webhook ? [webhook.http.state()] : [])),
      ...oneOff.states(),
    ],
    start: () => planner?.start(),
    stop: async () => planner?.stop(),
  };
}
