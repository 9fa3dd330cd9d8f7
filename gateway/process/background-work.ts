import type { Logger } from '../../platform/index.ts';
import type { WrongSecrets } from '../access/session/index.ts';
import type { GatewayConfig } from '../config.ts';
import type { MetadataSubscriber } from '../graph/index.ts';
import { JobCommands } from '../jobs/commands/index.ts';
import { openDeliveries } from '../jobs/deliveries/index.ts';
import type { Jobs } from '../jobs/engine/index.ts';
import { progressEndpoint } from '../jobs/progress/index.ts';
import { openSchedules } from '../jobs/schedules/index.ts';
import { type Metadata, together } from '../metadata/index.ts';
import type { HandlerDependencies } from '../sources/index.ts';
import type { HttpExchange } from '../transports/http/index.ts';
import type { SourceState, UpstreamConnections } from '../upstream/index.ts';

export interface BackgroundWorkOptions {
  readonly jobs: Jobs;
  readonly config: GatewayConfig;
  readonly metadata: Metadata;
  readonly http: UpstreamConnections;
  readonly handlers: HandlerDependencies;
  readonly wrongSecrets: WrongSecrets;
  readonly log: Logger;
}

/** The gateway's work without a client's request: schedules and deliveries, which run as jobs. */
export interface BackgroundWork {
  /** The commands of the metadata API about schedules and deliveries. */
  readonly commands: ReadonlyMap<string, (args: unknown) => Promise<unknown>>;
  /** Portico's own commands about jobs. */
  readonly jobCommands: JobCommands;
  /** Handles `/v1/events`. */
  readonly events: (exchange: HttpExchange) => Promise<void>;
  /** Handles `/v1/jobs/progress`. */
  readonly jobProgress: (exchange: HttpExchange) => Promise<void>;
  readonly subscribers: readonly MetadataSubscriber[];
  /** Returns the state of the calls to each webhook. */
  states(): readonly SourceState[];
  /** Starts to plan the times of cron triggers. */
  start(): void;
  stop(): Promise<void>;
}

/** @throws MetadataError if the metadata refers to missing environment variables. */
export function openBackgroundWork({
  jobs,
  config,
  metadata,
  http,
  handlers,
  wrongSecrets,
  log,
}: BackgroundWorkOptions): BackgroundWork {
  const dependencies = {
    environment: config.environment,
    http,
    handlers,
    resilience: config.resilience,
    webhookSecret: config.PORTICO_WEBHOOK_SECRET,
    log,
  };
  const [schedules, deliveries] = together(
    () =>
      openSchedules({
        metadata,
        dependencies,
        jobs,
        accepts: config.PORTICO_JOBS !== 'run',
        moreOrigins: config.PORTICO_SCHEDULED_EVENT_ORIGINS,
        moreVariables: config.PORTICO_SCHEDULED_EVENT_VARIABLES,
        log,
      }),
    () => openDeliveries({ metadata, dependencies, jobs, maxBodyBytes: config.PORTICO_MAX_BODY_BYTES, wrongSecrets }),
  );
  const progress = progressEndpoint({
    jobs,
    maxBodyBytes: config.PORTICO_MAX_BODY_BYTES,
    perSecond: config.PORTICO_JOBS_PROGRESS_PER_SECOND,
    log,
  });
  return {
    commands: new Map([...schedules.commands, ...deliveries.commands]),
    jobCommands: new JobCommands(jobs, { cronTriggers: schedules.cronTriggers, deliveries: deliveries.metadata }),
    events: deliveries.endpoint,
    jobProgress: progress.handle,
    subscribers: [schedules, deliveries],
    states: () => [...schedules.states(), ...deliveries.states()],
    start: schedules.start,
    stop: async () => {
      await Promise.all([schedules.stop(), progress.close()]);
    },
  };
}
