import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort, type ProcessGroup, until } from '../../../bench/machine/index.ts';
import { RULES_DIRECTORY, SCRAPE_SETTINGS } from './queries.ts';

/** A Prometheus of the check's own. */
export interface Prometheus {
  readonly url: string;
  /** Evaluates a query now. NaN is no value: a graph would show nothing. @throws when it is not valid. */
  query(expr: string): Promise<readonly Sample[]>;
  /** All values of a label of the series that a selector selects. */
  labelValues(selector: string, label: string): Promise<readonly string[]>;
  /** The ids of traces that mark the histograms of a query. */
  traceIds(expr: string): Promise<readonly string[]>;
  /** Targets that are not scraped, and rules that cannot be evaluated, each with the reason. */
  problems(): Promise<readonly string[]>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Addresses to scrape, by the names of the jobs in deploy/observability/prometheus/prometheus.yml. */
export type ScrapeTargets = Readonly<Record<string, readonly string[]>>;

/** No shorter: it is also how long a process has to answer, which takes its time on a busy machine. */
const SCRAPE_INTERVAL = '2s';

interface ScrapeSettings {
  global: Record<string, string>;
  rule_files: string[];
  scrape_configs: { job_name: string; dns_sd_configs?: unknown; static_configs?: unknown }[];
}

/** Starts Prometheus with the settings and rules that are deployed, but scraping `targets` more often. */
export async function startPrometheus(group: ProcessGroup, targets: ScrapeTargets): Promise<Prometheus> {
  const directory = group.directory('prometheus');
  const port = await freePort();
  const settings = join(directory, 'prometheus.yml');
  writeFileSync(settings, stringify(scrapeSettings(targets)));
  const member = group.start({
    name: 'prometheus',
    command: [
      'prometheus',
      `--config.file=${settings}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
      '--log.level=warn',
    ],
    directory,
  });
  const url = `http://127.0.0.1:${port}`;
  await until('it to be ready', member, async () => ((await fetch(`${url}/-/ready`)).ok ? true : undefined));

  async function ask<Answer>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const body = new URLSearchParams(parameters);
    const isPost = Object.keys(parameters).length > 0;
    const response = await fetch(`${url}/api/v1/${path}`, isPost ? { method: 'POST', body } : {});
    const answer = (await response.json()) as { status: string; error?: string; data: Answer };
    if (answer.status !== 'success') throw new Error(answer.error);
    return answer.data;
  }
  interface Vector {
    readonly resultType: string;
    readonly result: readonly { metric: Record<string, string>; value: [number, string] }[];
  }
  const query = async (expr: string) => {
    const { result } = await ask<Vector>('query', { query: expr });
    return result
      .map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
      .filter(({ value }) => !Number.isNaN(value));
  };
  return {
    url,
    query,
    async labelValues(selector, label) {
      const samples = await query(`count by (${label}) (${selector})`);
      return samples.map(({ labels }) => labels[label] ?? '');
    },
    async traceIds(expr) {
      const now = Date.now() / 1000;
      const span = { start: String(now - 600), end: String(now) };
      const found = await ask<{ exemplars: { labels: { trace_id?: string } }[] }[]>('query_exemplars', {
        query: expr,
        ...span,
      });
      return found.flatMap(({ exemplars }) => exemplars.flatMap(({ labels }) => labels.trace_id ?? []));
    },
    async problems() {
      const { activeTargets } = await ask<{
        activeTargets: { scrapeUrl: string; health: string; lastError: string }[];
      }>('targets');
      const { groups } = await ask<{ groups: { rules: { name: string; health: string; lastError?: string }[] }[] }>(
        'rules',
      );
      return [
        ...activeTargets
          .filter(({ health }) => health !== 'up')
          .map(({ scrapeUrl, health, lastError }) => `${scrapeUrl} is ${health}: ${lastError}`),
        ...groups
          .flatMap(({ rules }) => rules)
          .filter(({ health }) => health !== 'ok')
          .map(({ name, health, lastError }) => `rule ${name} is ${health}: ${lastError ?? ''}`),
      ];
    },
  };
}

function scrapeSettings(targets: ScrapeTargets): ScrapeSettings {
  const deployed = parse(readFileSync(SCRAPE_SETTINGS, 'utf8')) as ScrapeSettings;
  return {
    ...deployed,
    global: { scrape_interval: SCRAPE_INTERVAL, evaluation_interval: SCRAPE_INTERVAL },
    rule_files: [join(RULES_DIRECTORY, '*.yml')],
    scrape_configs: deployed.scrape_configs
      .filter(({ job_name }) => job_name in targets)
      .map(({ dns_sd_configs: _addresses, ...job }) => ({
        ...job,
        static_configs: [{ targets: targets[job.job_name] }],
      })),
  };
}
