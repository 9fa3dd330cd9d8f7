import { gaugeOf, quantileOf, type RowDescription, rateOf, SELECTED, SERVED_REQUESTS, shareOf } from './description.ts';

const SERVER_ERROR = 'http_response_status_code=~"5.."';

/** Requests that the objective is about: not those of probes. */
const OBJECTIVE = 'job=~"$job"';

/** The state of the objective, in single numbers. */
export const serviceLevel: RowDescription = {
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
        { expr: quantileOf(0.99, SERVED_REQUESTS, '', 'http_route!~"/healthz|/readyz"'), legend: '99th percentile' },
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
};

/** Requests over HTTP: how many, how long, how many failed. */
export const requests: RowDescription = {
  title: 'Requests',
  panels: [
    {
      title: 'Requests by endpoint',
      description: 'Answered requests a second, by kind of endpoint.',
      unit: 'reqps',
      queries: [{ expr: rateOf(`${SERVED_REQUESTS}_count`, 'http_route'), legend: '{{http_route}}' }],
    },
    {
      title: 'Requests by status',
      description: '499: the client went away. 429 and 503 are refusals under load; 5xx use up the error budget.',
      unit: 'reqps',
      queries: [
        {
          expr: rateOf(`${SERVED_REQUESTS}_count`, 'http_response_status_code'),
          legend: '{{http_response_status_code}}',
        },
      ],
      alert: 'PorticoTokensRefused',
      traces: '{ kind = server && span.http.response.status_code >= 500 }',
    },
    {
      title: 'Wrong secrets',
      description: 'Wrong admin secrets and secrets of producers, and requests that were refused unread after them.',
      unit: 'ops',
      queries: [{ expr: rateOf('portico_wrong_secrets_total', 'secret, outcome'), legend: '{{secret}} {{outcome}}' }],
      alert: 'PorticoSecretGuessed',
    },
    {
      title: 'Failed requests by endpoint',
      description: 'Share of requests that were answered with a status of 500 and more.',
      unit: 'percentunit',
      queries: [{ expr: shareOf(`${SERVED_REQUESTS}_count`, SERVER_ERROR, 'http_route'), legend: '{{http_route}}' }],
      alert: 'PorticoErrorBudgetBurnsFast',
      traces: '{ kind = server && status = error }',
    },
    {
      title: 'Duration of requests',
      description: 'From the request to the end of its response. Diamonds are traces of single requests.',
      unit: 's',
      queries: [
        { expr: quantileOf(0.5, SERVED_REQUESTS), legend: '50th percentile' },
        { expr: quantileOf(0.95, SERVED_REQUESTS), legend: '95th percentile' },
        { expr: quantileOf(0.99, SERVED_REQUESTS), legend: '99th percentile', exemplars: true },
      ],
      traces: '{ kind = server && duration > 1s }',
    },
    {
      title: 'Duration by endpoint, 95th percentile',
      description: 'From the request to the end of its response, by kind of endpoint.',
      unit: 's',
      queries: [{ expr: quantileOf(0.95, SERVED_REQUESTS, 'http_route'), legend: '{{http_route}}', exemplars: true }],
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
      queries: [{ expr: rateOf(`${SERVED_REQUESTS}_count`, 'instance'), legend: '{{instance}}' }],
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
};
