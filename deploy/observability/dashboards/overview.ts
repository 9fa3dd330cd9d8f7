import { type DashboardDescription, gaugeOf, type RowDescription, SELECTED } from './description.ts';
import { operations } from './overview-operations.ts';
import { requests, serviceLevel } from './overview-requests.ts';

const metadata: RowDescription = {
  title: 'Metadata',
  panels: [
    {
      title: 'Reloads',
      description: 'Reloads of the metadata in the last hour, by outcome.',
      unit: 'none',
      width: 6,
      queries: [{ expr: `sum by (outcome) (increase(portico_reloads_total{${SELECTED}}[1h]))`, legend: '{{outcome}}' }],
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
      queries: [{ expr: `max by (instance) (abs(portico_clock_skew_seconds{${SELECTED}}))`, legend: '{{instance}}' }],
      alert: 'PorticoClockSkew',
    },
  ],
};

const readiness: RowDescription = {
  title: 'Readiness',
  panels: [
    {
      title: 'Ready',
      description: '0: balancers send the gateway no requests. /readyz says why.',
      unit: 'none',
      max: 1,
      queries: [{ expr: gaugeOf('min', 'portico_ready', 'instance'), legend: '{{instance}}' }],
      alert: 'PorticoNotReady',
    },
    {
      title: 'Keys of tokens',
      description:
        '2: known. 1: they could not be fetched when they were due, so tokens of a new key are refused. 0: missing.',
      unit: 'none',
      max: 2,
      queries: [{ expr: gaugeOf('min', 'portico_token_keys', 'instance'), legend: '{{instance}}' }],
      alert: 'PorticoTokenKeysStale',
    },
    {
      title: 'Age of the list of revocations',
      description:
        'Ended sessions count for as long. Beyond PORTICO_REVOCATION_MAX_AGE_SECONDS all tokens are refused.',
      unit: 's',
      queries: [{ expr: gaugeOf('max', 'portico_revocations_age_seconds', 'instance'), legend: '{{instance}}' }],
      alert: 'PorticoRevocationsStale',
    },
  ],
};

export const overview: DashboardDescription = {
  name: 'overview',
  title: 'Overview',
  description: 'Whether callers get answers: requests, errors, durations, and the state of the metadata.',
  series: 'portico_documents_total',
  rows: [serviceLevel, requests, operations, readiness, metadata],
};
