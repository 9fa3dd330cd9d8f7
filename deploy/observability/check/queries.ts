import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PACKAGE_DIR } from '../../../bench/package-dir.ts';

const DIRECTORY = join(PACKAGE_DIR, 'deploy/observability');
export const RULES_DIRECTORY = join(DIRECTORY, 'prometheus/rules');
export const SCRAPE_SETTINGS = join(DIRECTORY, 'prometheus/prometheus.yml');
const DASHBOARDS_DIRECTORY = join(DIRECTORY, 'grafana/dashboards');

/** A query that a dashboard or a rule sends. */
export interface CheckedQuery {
  /** Where it stands, for people. */
  readonly place: string;
  /** Without Grafana's variables. */
  readonly expr: string;
  /** Whether its histogram is to have exemplars. */
  readonly exemplars: boolean;
}

interface DashboardFile {
  readonly title: string;
  readonly templating: { readonly list: readonly { name: string; type: string; query: unknown; allValue?: string }[] };
  readonly panels: readonly { title: string; targets?: readonly { expr: string; exemplar: boolean }[] }[];
}

interface RulesFile {
  readonly groups: readonly { readonly rules: readonly { alert?: string; record?: string; expr: string }[] }[];
}

/** Every window in which Grafana would look. */
const RATE_INTERVAL = '1m';

/**
 * The queries of all dashboards and rules. Alerts are taken as `alertQuery` says.
 *
 * @param labelValues what `label_values` of a variable gives: `$job`, `$instance` and so on are replaced by all of them.
 */
export async function readQueries(
  labelValues: (series: string, label: string) => Promise<readonly string[]>,
): Promise<readonly CheckedQuery[]> {
  const queries: CheckedQuery[] = [];
  for (const file of filesIn(DASHBOARDS_DIRECTORY)) {
    const dashboard = JSON.parse(readFileSync(file, 'utf8')) as DashboardFile;
    const values = await variableValues(dashboard, labelValues);
    for (const { title, targets = [] } of dashboard.panels)
      for (const { expr, exemplar } of targets)
        queries.push({ place: `${dashboard.title}, ${title}`, expr: replace(expr, values), exemplars: exemplar });
  }
  for (const file of filesIn(RULES_DIRECTORY))
    for (const { alert, record, expr } of (parse(readFileSync(file, 'utf8')) as RulesFile).groups.flatMap(
      ({ rules }) => rules,
    ))
      queries.push({
        place: alert === undefined ? `rule ${record}` : `alert ${alert}`,
        expr: alert === undefined ? expr : alertQuery(expr),
        exemplars: false,
      });
  return queries;
}

/**
 * An alert whose comparisons answer 0 or 1, in place of nothing where they are not true: it is then empty only when series
 * are missing. One about absent series is always empty when all is well, and asks for these series instead.
 */
function alertQuery(expr: string): string {
  if (expr.includes('absent(')) return expr.replaceAll('absent(', '(');
  return expr.replace(/ (>|<|>=|<=|==|!=) /g, ' $1 bool ');
}

/** The series that a query reads, each as a query of its own: `name{matchers}`, without a range. */
export function selectorsOf(expr: string): readonly string[] {
  const withoutGroups = expr.replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  const found = [...withoutGroups.matchAll(/(?<![\w:."$])([a-zA-Z_:][\w:]*)(\{[^}]*\})?(?!\s*\(|\w)/g)];
  const selectors = found
    .filter(([, name = '', matchers]) => matchers !== undefined || !KEYWORDS.has(name))
    .map(([, name = '', matchers = '']) => `${name}${matchers}`);
  return [...new Set(selectors)];
}

const KEYWORDS = new Set(['or', 'and', 'unless', 'bool', 'offset', 'd', 'h', 'm', 's']);

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory).map((name) => join(directory, name));
}

async function variableValues(
  { templating }: DashboardFile,
  labelValues: (series: string, label: string) => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>([['__rate_interval', RATE_INTERVAL]]);
  for (const { name, type, query, allValue } of templating.list) {
    if (type !== 'query') continue;
    const text = (query as { query: string }).query;
    const [, series = '', label = ''] = text.match(/^label_values\((.+), (\w+)\)$/) ?? [];
    const found = await labelValues(replace(series, values), label);
    values.set(name, allValue ?? found.map((value) => value.replace(/[.+*?^$()[\]{}|\\]/g, '\\\\$&')).join('|'));
  }
  return values;
}

/** @throws when the text has a variable without a value. */
function replace(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$(\w+)/g, (written, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`${written} has no value in ${text}`);
    return value;
  });
}
