/** What a dashboard shows, without Grafana's details: `dashboard-json.ts` adds those. */
export interface DashboardDescription {
  /** The end of its address, `portico-<name>`, and the name of its file. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The series whose labels `job` and `instance` are offered for selection. */
  readonly series: string;
  /** A variable beside these, of a label of some series. */
  readonly filter?: { readonly name: string; readonly label: string; readonly series: string };
  readonly rows: readonly RowDescription[];
}

export interface RowDescription {
  readonly title: string;
  readonly panels: readonly PanelDescription[];
}

export interface PanelDescription {
  readonly title: string;
  /** What is measured, and what it means when it is high. */
  readonly description: string;
  readonly unit: GrafanaUnit;
  readonly queries: readonly QueryDescription[];
  /** `graph` unless given. A `number` is the latest value, a `states` panel names it. */
  readonly kind?: 'graph' | 'number' | 'states';
  /** In 24ths of the dashboard's width; 8 unless given. */
  readonly width?: 4 | 6 | 8 | 12 | 24;
  /** From which values on a number is yellow or red; the other way round where `red` is the lower one. */
  readonly limits?: { readonly yellow: number; readonly red: number };
  /** What values stand for. */
  readonly states?: Readonly<Record<string, { readonly text: string; readonly color: string }>>;
  /** The largest value of the axis. */
  readonly max?: number;
  /** The alert whose runbook the panel links to. */
  readonly alert?: string;
  /** A query of TraceQL for the requests that the panel counts. */
  readonly traces?: string;
  /** Links each series to the dashboard of sources, by its label `service`. */
  readonly linksToSource?: true;
}

export interface QueryDescription {
  readonly expr: string;
  /** The name of each series, with `{{label}}`. */
  readonly legend: string;
  /** Whether traces are marked in the graph: for queries of histograms that have exemplars. */
  readonly exemplars?: true;
}

/** Grafana's names of units. */
export type GrafanaUnit =
  | 'reqps'
  | 'ops'
  | 'cps'
  | 's'
  | 'percentunit'
  | 'short'
  | 'bytes'
  | 'Bps'
  | 'none'
  | 'dtdurations';

/** Selects what the variables at the top of each dashboard select. */
export const SELECTED = 'job=~"$job",instance=~"$instance",worker=~"$worker"';

/** The histogram of answered requests, by their duration; both processes have it. */
export const SERVED_REQUESTS = 'http_server_request_duration_seconds';

/** A second's increase of a counter, summed by labels (comma-separated). */
export function rateOf(counter: string, by: string, matchers = ''): string {
  return `sum by (${by}) (rate(${counter}{${matchersOf(matchers)}}[$__rate_interval]))`;
}

/** A quantile of a histogram, by labels (comma-separated). */
export function quantileOf(quantile: number, histogram: string, by = '', matchers = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${quantile}, ${rateOf(`${histogram}_bucket`, labels, matchers)})`;
}

/** A gauge, combined over processes. */
export function gaugeOf(aggregation: 'sum' | 'max' | 'min', name: string, by: string, matchers = ''): string {
  return `${aggregation} by (${by}) (${name}{${matchersOf(matchers)}})`;
}

/**
 * The share of events that a matcher selects. 0 where there are none of them, nothing where there were no events at all.
 */
export function shareOf(counter: string, matcher: string, by: string, matchers = ''): string {
  const all = rateOf(counter, by, matchers);
  const some = rateOf(counter, by, matchers === '' ? matcher : `${matchers},${matcher}`);
  return `(${some} or 0 * ${all}) / ${all}`;
}

function matchersOf(matchers: string): string {
  return matchers === '' ? SELECTED : `${SELECTED},${matchers}`;
}
