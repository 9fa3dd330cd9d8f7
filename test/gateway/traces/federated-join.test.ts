import { afterAll, expect, test } from '@jest/globals';
import { openOtlpReceiver } from '../../otlp/index.ts';
import { apolloSubgraph, linked, productsSubgraph, reviewsSubgraph } from '../composition/subgraphs.ts';
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

test('a plan that is made in a thread is a span of the request that waits for it', async () => {
  const issuer = await keep(openIssuer());
  const collector = await keep(openOtlpReceiver());
  // From 100,000 characters on the planner has a thread.
  const fields = Array.from({ length: 20 }, (_, field) => `aFieldOfThisType${field}(first: Int): [String!]`).join(' ');
  const names = Array.from({ length: 150 }, (_, type) => `Filler${type}`);
  const things = await keep(
    apolloSubgraph(
      linked(
        [
          `type Query { thing: Thing ${names.map((name) => `of${name}: ${name}`).join(' ')} }`,
          'type Thing @key(fields: "id") { id: ID! name: String }',
          ...names.map((name) => `type ${name} { ${fields} }`),
        ].join('\n'),
      ),
      { Query: { thing: () => ({ id: '1', name: 'bolt' }) } },
    ),
  );
  const sizes = await keep(
    apolloSubgraph(linked('type Thing @key(fields: "id") { id: ID! size: Int } type Query { smallest: Int }'), {
      Thing: { __resolveReference: ({ id }: { id: string }) => ({ id, size: 7 }) },
    }),
  );
  const gateway = await keep(
    openGateway({
      issuer,
      metadata: { 'remote_schemas.yaml': [federated('things', things), federated('sizes', sizes)] },
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '10' },
    }),
  );
  const ask = () => gateway.graphql('{ thing { name size } }', { token: issuer.token() });
  expect((await ask()).body).toEqual({ data: { thing: { name: 'bolt', size: 7 } } });
  expect((await ask()).body.errors).toBeUndefined();

  const requests = () => collector.spans.filter(({ kind }) => kind === 'server');
  await until('both requests are exported', () => requests().length === 2);
  const plans = (index: number) =>
    collector.spans.filter(({ name, parentSpanId }) => name === 'plan' && parentSpanId === requests()[index]?.spanId);
  // The stage that asks for the plan, and the wait for it.
  expect(plans(0)).toHaveLength(2);
  expect(plans(1)).toEqual([]);
});
