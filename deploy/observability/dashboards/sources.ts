import { type DashboardDescription, gaugeOf, quantileOf, rateOf, SELECTED, shareOf } from './description.ts';
import { variableValue } from './variables.ts';

const CALLED = 'http_client_request_duration_seconds';
const SERVICE = 'service=~"$service"';
/** Spans of calls, in TraceQL. */
const CALL = `kind = client && span.portico.source.name =~ "${variableValue('service:pipe')}"`;
/** Outcomes of calls for which the service is to blame, or the way to it. */
const FAILED = 'outcome=~"server-error|timeout|connection|too-large|circuit-open|unavailable"';

export const sources: DashboardDescription = {
  name: 'sources',
  title: 'Sources',
  description: 'The services behind the gateway: which of them is slow, fails or is not called any more.',
  series: 'portico_documents_total',
  filter: { name: 'service', label: 'service', series: 'portico_upstream_circuit' },
  rows: [
    {
      title: 'State',
      panels: [
        {
          kind: 'states',
          width: 12,
          title: 'Circuit breakers',
          description: 'Open: the service failed too often, and calls of it are refused at once.',
          unit: 'none',
          states: {
            0: { text: 'closed', color: 'green' },
            1: { text: 'half open', color: 'yellow' },
            2: { text: 'open', color: 'red' },
          },
          queries: [
            {
              expr: gaugeOf('max', 'portico_upstream_circuit', 'service, kind', SERVICE),
              legend: '{{service}} {{kind}}',
            },
          ],
          alert: 'PorticoCircuitOpen',
        },
        {
          kind: 'states',
          width: 12,
          title: 'Schemas',
          description: 'Whether the gateway has introspected a remote schema.',
          unit: 'none',
          states: {
            0: { text: 'unknown', color: 'red' },
            1: { text: 'stored', color: 'yellow' },
            2: { text: 'introspected', color: 'green' },
          },
          queries: [{ expr: gaugeOf('min', 'portico_source_schema', 'source'), legend: '{{source}}' }],
          alert: 'PorticoSourceMissing',
        },
        {
          title: 'Earlier schemas in use',
          description: '1: the last introspection failed, or the changed schema cannot be used.',
          unit: 'none',
          width: 24,
          max: 1,
          queries: [{ expr: gaugeOf('max', 'portico_source_refresh_failed', 'source'), legend: '{{source}}' }],
          alert: 'PorticoSchemaOutdated',
        },
      ],
    },
    {
      title: 'Calls',
      panels: [
        {
          title: 'Calls',
          description: 'Calls of services a second, each counted once, retries included.',
          unit: 'cps',
          linksToSource: true,
          queries: [{ expr: rateOf('portico_upstream_calls_total', 'service', SERVICE), legend: '{{service}}' }],
          alert: 'PorticoSourceDown',
        },
        {
          title: 'Failed calls',
          description: 'Share of calls that failed because of the service or of the way to it.',
          unit: 'percentunit',
          linksToSource: true,
          queries: [
            { expr: shareOf('portico_upstream_calls_total', FAILED, 'service', SERVICE), legend: '{{service}}' },
          ],
          alert: 'PorticoSourceFailing',
          traces: `{ ${CALL} && status = error }`,
        },
        {
          title: 'Failures by outcome',
          description: 'Everything but success.',
          unit: 'cps',
          queries: [
            {
              expr: rateOf('portico_upstream_calls_total', 'service, outcome', `${SERVICE},outcome!="success"`),
              legend: '{{service}} {{outcome}}',
            },
          ],
          alert: 'PorticoCallsRejected',
        },
        {
          title: 'Duration of requests to services, 50th percentile',
          description: 'Of each request to a service, from sending it to the end of its response.',
          unit: 's',
          linksToSource: true,
          queries: [{ expr: quantileOf(0.5, CALLED, 'service', SERVICE), legend: '{{service}}' }],
        },
        {
          title: 'Duration of requests to services, 95th percentile',
          description: 'As before, of the slowest twentieth. Diamonds are traces of single requests.',
          unit: 's',
          linksToSource: true,
          queries: [{ expr: quantileOf(0.95, CALLED, 'service', SERVICE), legend: '{{service}}', exemplars: true }],
          alert: 'PorticoSourceSlow',
          traces: `{ ${CALL} && duration > 1s }`,
        },
        {
          title: 'Requests to services by status',
          description: 'Each request that was sent, retries too. An error instead of a status: there was no response.',
          unit: 'reqps',
          queries: [
            {
              expr: rateOf(`${CALLED}_count`, 'service, http_response_status_code, error_type', SERVICE),
              legend: '{{service}} {{http_response_status_code}} {{error_type}}',
            },
          ],
        },
        {
          title: 'Duration of calls with waits, 95th percentile',
          description: 'Calls as operations see them: the wait for a slot, retries and backoff included.',
          unit: 's',
          linksToSource: true,
          queries: [
            { expr: quantileOf(0.95, 'portico_upstream_duration_seconds', 'service', SERVICE), legend: '{{service}}' },
          ],
          alert: 'PorticoSourceSlow',
        },
        {
          title: 'Retries',
          description: 'Queries that were sent again.',
          unit: 'cps',
          queries: [{ expr: rateOf('portico_upstream_retries_total', 'service', SERVICE), legend: '{{service}}' }],
        },
        {
          title: 'Deduplicated queries',
          description: 'Queries that shared the response of an identical one.',
          unit: 'cps',
          queries: [{ expr: rateOf('portico_upstream_shared_total', 'service', SERVICE), legend: '{{service}}' }],
        },
      ],
    },
    {
      title: 'Concurrency',
      panels: [
        {
          title: 'Requests in progress',
          description: 'Requests to a service that are under way.',
          unit: 'none',
          width: 6,
          queries: [{ expr: gaugeOf('sum', 'portico_upstream_in_flight', 'service', SERVICE), legend: '{{service}}' }],
        },
        {
          title: 'Queue of the bulkhead',
          description: 'Calls that wait for a slot: the service takes fewer at a time than are wanted.',
          unit: 'none',
          width: 6,
          queries: [{ expr: gaugeOf('sum', 'portico_upstream_queued', 'service', SERVICE), legend: '{{service}}' }],
          alert: 'PorticoBulkheadWaits',
        },
        {
          title: 'Wait for a slot, 95th percentile',
          description: 'How long calls wait in the queue of the bulkhead.',
          unit: 's',
          width: 6,
          queries: [
            { expr: quantileOf(0.95, 'portico_upstream_wait_seconds', 'service', SERVICE), legend: '{{service}}' },
          ],
          alert: 'PorticoBulkheadWaits',
        },
        {
          title: 'Buffered responses',
          description: 'Bytes of long responses that are buffered, since clients read slower than services send.',
          unit: 'bytes',
          width: 6,
          queries: [
            { expr: `sum by (instance) (portico_upstream_buffered_bytes{${SELECTED}})`, legend: '{{instance}}' },
          ],
        },
      ],
    },
  ],
};
