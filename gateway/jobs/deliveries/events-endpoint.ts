import type { WrongSecrets } from '../../access/session/index.ts';
import { methodNotAllowed, toLoggedError } from '../../errors.ts';
import { type HttpExchange, receiveBody, sendFlatError, sendJson } from '../../transports/http/index.ts';
import { type CloudEvent, readEvent, structuredJson, withAttribute } from '../cloud-events/index.ts';
import { digestOf, type Jobs, MAX_TENANT, SPARE_ATTEMPTS } from '../engine/index.ts';
import { DELIVERY_KIND } from './delivery-runner.ts';
import { notOfProducer, tenantMissing, tenantTooLong, tooManyEvents, unknownProducer } from './errors.ts';
import { type Producer, producerOf } from './producers.ts';
import { type EventSubscription, orderKeyOf } from './subscriptions.ts';

/** The largest event, in bytes. Every receiver of CloudEvents takes 64 KiB. */
const MAX_EVENT_BYTES = 262_144;
/** Bytes of events that wait for the database at a time. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
/** Deliveries of one event that are sent to the database at a time: what one event takes of the memory of all. */
const MAX_SENT = 200;
const MAX_SENT_BYTES = 8 * 1024 * 1024;
/** The extension attribute that names the tenant. */
const TENANT_ATTRIBUTE = 'tenantid';

export interface EventsEndpointOptions {
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly producers: () => readonly Producer[];
  readonly subscriptions: () => ReadonlyMap<string, EventSubscription>;
  readonly maxBodyBytes: number;
  readonly wrongSecrets: WrongSecrets;
}

/** Answers `POST /v1/events`: an event is accepted with 202 once each of its deliveries has been committed. */
export function eventsEndpoint(options: EventsEndpointOptions): (exchange: HttpExchange) => Promise<void> {
  const maxBytes = Math.min(options.maxBodyBytes, MAX_EVENT_BYTES);
  let waitingBytes = 0;
  return async (exchange) => {
    const { request } = exchange;
    let bytes = 0;
    try {
      if (request.method !== 'POST') throw methodNotAllowed('POST');
      const { authorization } = request.headers;
      const producer = authenticated(authorization, exchange.clientAddress, options);
      if (waitingBytes >= MAX_BUFFERED_BYTES) throw tooManyEvents();
      const body = await receiveBody(exchange, maxBytes);
      bytes = body.length;
      waitingBytes += bytes;
      const deliveries = await accept(readEvent({ rawHeaders: request.rawHeaders, body }), producer, options, exchange);
      sendJson(exchange, 202, { deliveries });
    } catch (thrown) {
      sendFlatError(exchange, toLoggedError(thrown, exchange));
    } finally {
      waitingBytes -= bytes;
    }
  };
}

/** @throws GatewayError 401 without the secret of a producer, 429 after too many wrong ones from the client's network. */
function authenticated(
  authorization: string | undefined,
  address: string,
  { producers, wrongSecrets }: EventsEndpointOptions,
): Producer {
  if (authorization === undefined) throw unknownProducer(false);
  // Secrets of producers have 32 characters at least.
  const producer = wrongSecrets.judge({ kind: 'producer', address, isGuessable: false }, () =>
    producerOf(authorization, producers()),
  );
  if (producer) return producer;
  throw unknownProducer(true);
}

/** @returns how many subscriptions get the event. @throws GatewayError where it is not the producer's, or was not committed. */
async function accept(
  sent: CloudEvent,
  producer: Producer,
  { jobs, subscriptions }: EventsEndpointOptions,
  { span }: Pick<HttpExchange, 'span'>,
): Promise<number> {
  for (const attribute of ['source', 'type'] as const)
    if (!producer.mayPost(attribute, sent[attribute])) throw notOfProducer(attribute);
  const tenant = tenantOfEvent(sent, producer);
  const event = withAttribute(sent, TENANT_ATTRIBUTE, tenant);
  const takers = [...subscriptions().values()].filter(({ takes }) => takes(event.type, tenant));
  if (takers.length === 0) return 0;
  const text = structuredJson(event);
  // A producer and a tenant are part of the key: no other one's event can be taken for a duplicate.
  const idempotencyKey = digestOf([producer.name, tenant, event.source, event.id]);
  const enqueue = ({ metadata }: EventSubscription) =>
    jobs.enqueue({
      kind: DELIVERY_KIND,
      queue: metadata.name,
      tenant,
      orderKey: orderKeyOf(metadata, tenant, event.attributes),
      idempotencyKey,
      validForMs: Math.max(1, metadata.retry_conf.tolerance_seconds) * 1000,
      maxAttempts: metadata.retry_conf.num_retries + 1 + SPARE_ATTEMPTS,
      payload: { event: text },
      span,
    });
  // One turn of the event loop makes one transaction of what is sent at a time. Of an event that is posted again since not all of
  // it was committed, what was is known by its key.
  const atATime = Math.max(1, Math.min(MAX_SENT, Math.floor(MAX_SENT_BYTES / Buffer.byteLength(JSON.stringify(text)))));
  for (let from = 0; from < takers.length; from += atATime)
    await Promise.all(takers.slice(from, from + atATime).map(enqueue));
  return takers.length;
}

/** The tenant that the event names, or the producer's only one. */
function tenantOfEvent({ attributes }: CloudEvent, { tenants }: Producer): string {
  const named = attributes.get(TENANT_ATTRIBUTE);
  const [only, ...others] = tenants ?? [];
  const tenant = named === undefined ? (others.length === 0 ? only : undefined) : String(named);
  if (tenant === undefined || tenant === '') throw tenantMissing();
  if (tenant.length > MAX_TENANT) throw tenantTooLong(MAX_TENANT);
  if (tenants && !tenants.has(tenant)) throw notOfProducer(TENANT_ATTRIBUTE);
  return tenant;
}
