import type { WrongSecrets } from '../../access/session/index.ts';
import { methodNotAllowed, toLoggedError } from '../../errors.ts';
import { type HttpExchange, receiveBody, sendFlatError, sendJson } from '../../transports/http/index.ts';
import { type CloudEvent, readEvent, structuredJson, withAttribute } from '../cloud-events/index.ts';
import { digestOf, type Jobs, MAX_TENANT, SPARE_ATTEMPTS } from '../engine/index.ts';
import { DELIVERY_KIND } from './delivery-runner.ts';
import { notOfProducer, tenantMissing, tenantTooLong, tooManyEvents, unknownProducer } from './errors.ts';
import { type Producer, producerOf } from './producers.ts';
import { type EventSubscription, orderKeyOf } from './subscriptions.ts';

/** The largest event in bytes. Every receiver of CloudEvents accepts 64 KiB. */
const MAX_EVENT_BYTES = 262_144;
/** The most bytes of events that wait for the database at a time. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
/**
 * The most deliveries of one event that are sent to the database at a time. They limit how much of the shared memory one event
 * takes.
 */
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

/** Handles `POST /v1/events`. An event is accepted with 202 once each of its deliveries is committed. */
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

/** @throws GatewayError 401 without a producer's secret, 429 after too many wrong secrets from the client's network. */
function authenticated(
  authorization: string | undefined,
  address: string,
  { producers, wrongSecrets }: EventsEndpointOptions,
): Producer {
  if (authorization === undefined) throw unknownProducer(false);
  // Producers' secrets have at least 32 characters.
  const producer = wrongSecrets.judge({ kind: 'producer', address, isGuessable: false }, () =>
    producerOf(authorization, producers()),
  );
  if (producer) return producer;
  throw unknownProducer(true);
}

/**
 * @returns how many subscriptions get the event.
 * @throws GatewayError if the producer may not post the event, or if it was not committed.
 */
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
  // The producer and the tenant are part of the key, so that an event of another one is not taken for a duplicate.
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
  // Deliveries that are sent in one turn of the event loop share a transaction. If an event is posted again because only a part
  // was committed, the keys identify that part.
  const atATime = Math.max(1, Math.min(MAX_SENT, Math.floor(MAX_SENT_BYTES / Buffer.byteLength(JSON.stringify(text)))));
  for (let from = 0; from < takers.length; from += atATime)
    await Promise.all(takers.slice(from, from + atATime).map(enqueue));
  return takers.length;
}

/** Returns the tenant that the event names, or the producer's only tenant. */
function tenantOfEvent({ attributes }: CloudEvent, { tenants }: Producer): string {
  const named = attributes.get(TENANT_ATTRIBUTE);
  const [only, ...others] = tenants ?? [];
  const tenant = named === undefined ? (others.length === 0 ? only : undefined) : String(named);
  if (tenant === undefined || tenant === '') throw tenantMissing();
  if (tenant.length > MAX_TENANT) throw tenantTooLong(MAX_TENANT);
  if (tenants && !tenants.has(tenant)) throw notOfProducer(TENANT_ATTRIBUTE);
  return tenant;
}
