import type { Logger } from '../../../platform/index.ts';
import type { WrongSecrets } from '../../access/session/index.ts';
import { type DeliveriesMetadata, type Metadata, MetadataError, type MetadataProblem } from '../../metadata/index.ts';
import type { HttpExchange } from '../../transports/http/index.ts';
import type { WebhookDependencies, WebhookState } from '../../webhooks/jobs/index.ts';
import type { Jobs } from '../engine/index.ts';
import { deliveryCommands } from './commands.ts';
import { DELIVERY_KIND, deliveryRunner } from './delivery-runner.ts';
import { eventsEndpoint } from './events-endpoint.ts';
import { openProducers, type Producer } from './producers.ts';
import { type EventSubscription, openEventSubscriptions } from './subscriptions.ts';

export interface DeliveriesOptions {
  readonly metadata: Metadata;
  readonly dependencies: WebhookDependencies & { readonly log: Logger };
  readonly jobs: Jobs;
  /** The largest body of a request in bytes. */
  readonly maxBodyBytes: number;
  /** Counts wrong secrets of producers. */
  readonly wrongSecrets: WrongSecrets;
}

/** The events of services and the webhooks that receive them. */
export interface Deliveries {
  /** Handles `/v1/events`. */
  readonly endpoint: (exchange: HttpExchange) => Promise<void>;
  /** The commands of the metadata API by name. */
  readonly commands: ReadonlyMap<string, (args: unknown) => Promise<unknown>>;
  /** Returns the producers and subscriptions of the active metadata. */
  metadata(): DeliveriesMetadata;
  /** Returns the state of the calls to each webhook. */
  states(): readonly WebhookState[];
  /**
   * Prepares new metadata and returns a function that activates it. @throws MetadataError if the metadata does not fit the
   * environment.
   */
  prepare(metadata: Metadata): () => void;
}

interface OpenedMetadata {
  readonly metadata: DeliveriesMetadata;
  readonly producers: readonly Producer[];
  readonly subscriptions: ReadonlyMap<string, EventSubscription>;
}

/**
 * Opens the deliveries and registers the handler of their jobs.
 *
 * @throws MetadataError if the metadata does not fit the environment.
 */
export function openDeliveries({
  metadata,
  dependencies,
  jobs,
  maxBodyBytes,
  wrongSecrets,
}: DeliveriesOptions): Deliveries {
  let opened = open(metadata, dependencies);
  jobs.handle(
    DELIVERY_KIND,
    deliveryRunner({
      subscriptions: () => opened.subscriptions,
      handlers: dependencies.handlers,
      invocations: jobs.invocations,
      log: dependencies.log,
    }),
  );
  return {
    endpoint: eventsEndpoint({
      jobs,
      producers: () => opened.producers,
      subscriptions: () => opened.subscriptions,
      maxBodyBytes,
      wrongSecrets,
    }),
    commands: deliveryCommands(jobs.invocations),
    metadata: () => opened.metadata,
    states: () => [...opened.subscriptions.values()].flatMap(({ webhook }) => (webhook ? [webhook.http.state()] : [])),
    prepare: (changed) => {
      const next = open(changed, dependencies);
      return () => {
        opened = next;
      };
    },
  };
}

/** @throws MetadataError if the deliveries of the metadata do not fit the environment. */
export function checkDeliveries(metadata: Metadata, dependencies: WebhookDependencies): void {
  open(metadata, dependencies);
}

function open(metadata: Metadata, dependencies: WebhookDependencies): OpenedMetadata {
  const problems: MetadataProblem[] = [];
  const report = (message: string, path: readonly PropertyKey[]) =>
    problems.push({ ...metadata.place('deliveries', path), message });
  const producers = openProducers(metadata.deliveries, dependencies.environment, report);
  const subscriptions = openEventSubscriptions(metadata, dependencies, report);
  if (problems.length > 0) throw new MetadataError(problems);
  return { metadata: metadata.deliveries, producers, subscriptions };
}
