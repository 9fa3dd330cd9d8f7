import { expect, test } from '@jest/globals';
import { HttpServerCounts, writeMetrics } from '../../../platform/index.ts';

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

/** The numbers of requests by their labels. */
async function requestsIn(counts: HttpServerCounts): Promise<Readonly<Record<string, number>>> {
  const text = await writeMetrics(counts.metrics(), PROMETHEUS);
  const lines = text.matchAll(/^http_server_request_duration_seconds_count\{(.*)\} (\d+)$/gm);
  return Object.fromEntries(
    [...lines].map(([, labels = '', value]) => [labels.replaceAll(/\w+=/g, ''), Number(value)]),
  );
}

test('requests are counted by route, method and status', async () => {
  const counts = new HttpServerCounts();
  counts.add('/v1/graphql', 'POST', 200, 3);
  counts.add('/v1/graphql', 'POST', 200, 5_000);
  counts.add('/v1/graphql', 'GET', 499, 3);
  counts.add('/healthz', 'OPTIONS', 200, 0.1);
  expect(await requestsIn(counts)).toEqual({
    '"POST","/v1/graphql","200"': 2,
    '"GET","/v1/graphql","499"': 1,
    '"OPTIONS","/healthz","200"': 1,
  });
  expect([...counts.byStatus()]).toEqual([
    ['200', 3],
    ['499', 1],
  ]);
});

test('methods and statuses that HTTP does not define add no series', async () => {
  const counts = new HttpServerCounts();
  for (let i = 0; i < 10_000; i++) {
    counts.add('/v1/graphql', `FOO${i}`, 200, 1);
    counts.add('/v1/graphql', undefined, 200, 1);
    counts.add('/v1/graphql', 'GET', 600 + i, 1);
  }
  expect(await requestsIn(counts)).toEqual({
    '"_OTHER","/v1/graphql","200"': 20_000,
    '"GET","/v1/graphql","other"': 10_000,
  });
});

test('routes beyond the first 200 are counted together', async () => {
  const counts = new HttpServerCounts();
  for (let i = 0; i < 1_000; i++) counts.add(`/api/rest/endpoint-${i}`, 'GET', 200, 1);
  counts.add('/api/rest/endpoint-7', 'GET', 200, 1);
  const requests = await requestsIn(counts);
  expect(Object.keys(requests)).toHaveLength(201);
  expect(requests).toMatchObject({ '"GET","/api/rest/endpoint-7","200"': 2, '"GET","other","200"': 800 });
});
