import { type DashboardDescription, gaugeOf, quantileOf, rateOf, SELECTED, shareOf } from './description.ts';

const SERVED = 'http_server_request_duration_seconds';
const SERVER_ERROR = 'http_response_status_code=~"5.."';

/** Requests that the objective is about: not those of probes. */
const OBJECTIVE = 'job=~"$job"';

export const overview: DashboardDescription = {
  name: 'overview',
  title: 'Overview',
  description: 'Whether callers get answers: requests, errors, durations, and the state of the metadata.',
  series: 'portico_documents_total',
  rows: [
    {
      title: 'Service level',
      panels: [
        {
          kind: 'number',
          width: 4,
          title: 'Availability, 1 hour',
          description: 'Share of requests without a status of 500 and more. The objective is 99.9 %.',
          unit: 'percentunit',
          limits: { yellow: 0.9995, red: 0.999 },
          max: 1,
          queries: [{ expr: `1 - max(job:portico_request_errors:ratio_rate1h{${OBJECTIVE}})`, legend: 'availability' }],
          alert: 'PorticoErrorBudgetBurnsFast',
        },
        {
          kind: 'number',
          width: 4,
          title: 'Error budget left, 30 days',
          description:
            'Of the failures that the objective of 99.9 % allows in 30 days, the share that has not happened. Below 0 the objective is missed.',
          unit: 'percentunit',
          limits: { yellow: 0.5, red: 0.1 },
          max: 1,
          queries: [
            {
              expr: `1 - sum(sum_over_time(job:portico_request_errors:rate5m{${OBJECTIVE}}[30d])) / sum(sum_over_time(job:portico_requests:rate5m{${OBJECTIVE}}[30d])) / 0.001`,
              legend: 'left',
            },
          ],
          alert: 'PorticoErrorBudgetBurnsSlowly',
        },
        {
          kind: 'number',
          width: 4,
          title: 'Firing alerts',
          description: "Portico's alerts that fire now; Prometheus lists them at /alerts.",
          unit: 'none',
          limits: { yellow: 1, red: 3 },
          queries: [
            {
              expr: 'count(ALERTS{alertname=~"Portico.+",alertstate="firing"}) or vector(0)',
              legend: 'alerts',
            },
          ],
        },
        {
          kind: 'number',
          width: 4,
          title: 'Requests',
          description: 'Answered requests a second, without probes.',
          unit: 'reqps',
          queries: [{ expr: `sum(job:portico_requests:rate5m{${OBJECTIVE}})`, legend: 'requests' }],
        },
        {
          kind: 'number',
          width: 4,
          title: 'Duration, 99th percentile',
          description: 'Of all endpoints but probes.',
          unit: 's',
          limits: { yellow: 0.5, red: 2 },
          queries: [
            { expr: quantileOf(0.99, SERVED, '', 'http_route!~"/healthz|/readyz"'), legend: '99th percentile' },
          ],
        },
        {
          kind: 'number',
          width: 4,
          title: 'Missing sources',
          description: 'Sources of the metadata that are not part of the graph.',
          unit: 'none',
          limits: { yellow: 1, red: 2 },
          queries: [{ expr: `max(portico_sources_missing{${SELECTED}})`, legend: 'missing' }],
          alert: 'PorticoSourceMissing',
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by endpoint',
          description: 'Answered requests a second, by kind of endpoint.',
          unit: 'reqps',
          queries: [{ expr: rateOf(`${SERVED}_count`, 'http_route'), legend: '{{http_route}}' }],
        },
        {
          title: 'Requests by status',
          description: '499: the client went away. 429 and 503 are refusals under load; 5xx use up the error budget.',
          unit: 'reqps',
          queries: [
            { expr: rateOf(`${SERVED}_count`, 'http_response_status_code'), legend: '{{http_response_status_code}}' },
          ],
          traces: '{ kind = server && span.http.response.status_code >= 500 }',
        },
        {
          title: 'Failed requests by endpoint',
          description: 'Share of requests that were answered with a status of 500 and more.',
          unit: 'percentunit',
          queries: [{ expr: shareOf(`${SERVED}_count`, SERVER_ERROR, 'http_route'), legend: '{{http_route}}' }],
          alert: 'PorticoErrorBudgetBurnsFast',
          traces: '{ kind = server && status = error }',
        },
        {
          title: 'Duration of requests',
          description: 'From the request to the end of its response. Diamonds are traces of single requests.',
          unit: 's',
          queries: [
            { expr: quantileOf(0.5, SERVED), legend: '50th percentile' },
            { expr: quantileOf(0.95, SERVED), legend: '95th percentile' },
            { expr: quantileOf(0.99, SERVED), legend: '99th percentile', exemplars: true },
          ],
          traces: '{ kind = server && duration > 1s }',
        },
        {
          title: 'Duration by endpoint, 95th percentile',
          description: 'From the request to the end of its response, by kind of endpoint.',
          unit: 's',
          queries: [{ expr: quantileOf(0.95, SERVED, 'http_route'), legend: '{{http_route}}', exemplars: true }],
        },
        {
          title: 'Requests in progress',
          description: 'Rising without more requests: something behind the gateway has become slow.',
          unit: 'none',
          queries: [{ expr: gaugeOf('sum', 'http_server_active_requests', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Bytes of clients',
          description: 'Bodies of requests and responses.',
          unit: 'Bps',
          queries: [
            { expr: rateOf('portico_http_received_bytes_total', 'job'), legend: 'received' },
            { expr: rateOf('portico_http_sent_bytes_total', 'job'), legend: 'sent' },
          ],
        },
        {
          title: 'Requests by gateway',
          description: 'Whether the load balancer spreads the load.',
          unit: 'reqps',
          queries: [{ expr: rateOf(`${SERVED}_count`, 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Failed requests over the windows of the alerts',
          description: 'Share of failed requests, without probes. The alerts compare a short and a long window each.',
          unit: 'percentunit',
          queries: ['5m', '1h', '6h', '3d'].map((window) => ({
            expr: `max(job:portico_request_errors:ratio_rate${window}{${OBJECTIVE}})`,
            legend: window,
          })),
          alert: 'PorticoErrorBudgetBurnsSlowly',
        },
      ],
    },
    {
      title: 'Operations',
      panels: [
        {
          title: 'Operations by outcome',
          description: 'Queries and mutations that were run; errors: the response had at least one.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_operations_total', 'type, outcome'), legend: '{{type}} {{outcome}}' }],
        },
        {
          title: 'Duration of operations, 95th percentile',
          description: 'From when an operation begins to run to its result.',
          unit: 's',
          queries: [
            {
              expr: quantileOf(0.95, 'portico_operation_duration_seconds', 'type'),
              legend: '{{type}}',
              exemplars: true,
            },
          ],
        },
        {
          title: 'Rejected operations',
          description: 'Rejected before execution: invalid, too large, not permitted, too many.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_operations_refused_total', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Named operations',
          description: 'Saved, allow-listed and persisted operations, the ten most frequent.',
          unit: 'ops',
          queries: [
            {
              expr: `topk(10, ${rateOf('portico_named_operations_total', 'operation, client')})`,
              legend: '{{operation}} {{client}}',
            },
          ],
        },
        {
          title: 'Slowest named operations, 95th percentile',
          description: 'The ten slowest of the saved, allow-listed and persisted operations.',
          unit: 's',
          queries: [
            {
              expr: `topk(10, ${quantileOf(0.95, 'portico_named_operation_duration_seconds', 'operation')})`,
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Failed named operations',
          description: 'Share of the runs of an operation whose response had errors.',
          unit: 'percentunit',
          queries: [
            {
              expr: `topk(10, ${shareOf('portico_named_operations_total', 'outcome="errors"', 'operation')})`,
              legend: '{{operation}}',
            },
          ],
        },
        {
          title: 'Hits of caches',
          description:
            'Share of documents, plans and tokens that were cached. Low for documents: clients write values into them.',
          unit: 'percentunit',
          max: 1,
          queries: [
            { expr: shareOf('portico_documents_total', 'cache="hit"', 'job'), legend: 'documents' },
            { expr: shareOf('portico_plans_total', 'cache="hit"', 'job'), legend: 'plans' },
            { expr: shareOf('portico_tokens_total', 'cache="hit"', 'job'), legend: 'verified tokens' },
          ],
        },
        {
          title: 'Entries of caches',
          description: 'What the caches of all processes hold, together.',
          unit: 'none',
          queries: [{ expr: gaugeOf('sum', 'portico_cache_entries', 'cache'), legend: '{{cache}}' }],
        },
        {
          title: 'Requests by the id of a document',
          description:
            'Persisted queries that were found (hit), or that the client has to send once more with their text.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_persisted_queries_total', 'cache'), legend: '{{cache}}' }],
        },
        {
          title: 'Validation and planning, 95th percentile',
          description: 'Of documents that were not cached.',
          unit: 's',
          queries: [
            { expr: quantileOf(0.95, 'portico_validation_duration_seconds'), legend: 'validation' },
            { expr: quantileOf(0.95, 'portico_planning_duration_seconds'), legend: 'planning' },
          ],
        },
      ],
    },
    {
      title: 'Metadata',
      panels: [
        {
          title: 'Reloads',
          description: 'Reloads of the metadata in the last hour, by outcome.',
          unit: 'none',
          width: 6,
          queries: [
            { expr: `sum by (outcome) (increase(portico_reloads_total{${SELECTED}}[1h]))`, legend: '{{outcome}}' },
          ],
          alert: 'PorticoReloadFailed',
        },
        {
          title: 'Missing sources',
          description: 'Sources of the metadata that are not part of the graph.',
          unit: 'none',
          width: 6,
          queries: [{ expr: gaugeOf('max', 'portico_sources_missing', 'instance'), legend: '{{instance}}' }],
          alert: 'PorticoSourceMissing',
        },
        {
          title: 'Time spent composing',
          description: 'Seconds of the last hour in which supergraphs were composed.',
          unit: 's',
          width: 6,
          queries: [
            {
              expr: `sum by (instance) (increase(portico_composition_duration_seconds_sum{${SELECTED}}[1h]))`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'Clock skew',
          description: "How far the token issuer's clock is ahead. Beyond 60 seconds the gateway is not ready.",
          unit: 's',
          width: 6,
          queries: [
            { expr: `max by (instance) (abs(portico_clock_skew_seconds{${SELECTED}}))`, legend: '{{instance}}' },
          ],
          alert: 'PorticoClockSkew',
        },
      ],
    },
  ],
};
