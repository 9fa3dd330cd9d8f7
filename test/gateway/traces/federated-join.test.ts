import { afterAll, expect, test } from '@jest/globals';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { productsSubgraph, reviewsSubgraph } from '../composition/subgraphs.ts';
import { federated } from '../composition/world.ts';
import { keeper, openGateway, openIssuer, until } from '../harness/index.ts';

const { keep, close } = keeper();
afterAll(close);

test('a join of subgraphs is one trace, with a call of each below the request', async () => {
  const issuer = await keep(openIssuer());
  const collector = await keep(openOtlpReceiver());
  const products = await keep(productsSubgraph());
  const reviews = await keep(reviewsSubgraph());
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [federated('products', products), federated('reviews', reviews)] },
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' },
    }),
  );
  const query = '{ product(upc: "1") { name reviews { text } } }';
  const { body } = await gateway.graphql(query, { token: issuer.token() });
  expect(body.errors).toBeUndefined();

  const isRequest = ({ kind }: { kind: string }) => kind === 'server';
  await until('the request is exported', () => collector.spans.some(isRequest));
  const request = collector.spans.find(isRequest);
  for (const [name, service] of [
    ['products', products],
    ['reviews', reviews],
  ] as const) {
    const call = collector.spans.find((span) => span.name === `POST ${name}` && span.traceId === request?.traceId);
    expect(call).toMatchObject({ kind: 'client', attributes: { 'portico.source.name': name } });
    const told = service.requests.map(({ headers }) => headers.traceparent);
    expect(told).toContain(`00-${request?.traceId}-${call?.spanId}-01`);
  }
});
