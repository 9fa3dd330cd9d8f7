import { readFile } from 'node:fs/promises';

/** A metric as `docs/metrics.md` describes it. */
export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** The metrics in the tables of some sections of `docs/metrics.md`; several of one row have the same type and labels. */
export async function describedMetrics(...sections: readonly string[]): Promise<readonly DescribedMetric[]> {
  const page = await readFile(new URL('../docs/metrics.md', import.meta.url), 'utf8');
  return sections.flatMap((section) => {
    const [, rest = ''] = page.split(`\n## ${section}\n`);
    const [text = ''] = rest.split('\n## ');
    const rows = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (counter|gauge|histogram) \|([^|]*)\| [^|]+ \|$/gm)];
    return rows.flatMap(([, names = '', type = '', labels = '']) =>
      words(names).map((name) => ({ name, type, labels: words(labels) })),
    );
  });
}

function words(text: string): readonly string[] {
  return [...text.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);
}

/** The metrics of a text in the format of Prometheus, with the labels that their samples have. */
export function servedMetrics(text: string): readonly DescribedMetric[] {
  return text.split(/^# HELP /m).flatMap((block) => {
    const [, name = '', type = ''] = /^# TYPE (\w+) (\w+)$/m.exec(block) ?? [];
    if (name === '') return [];
    const labels = [...block.matchAll(/^\w+\{(.*)\} \S+$/gm)].flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label = '']) => label),
    );
    return [{ name, type, labels: [...new Set(labels)].filter((label) => label !== 'le') }];
  });
}
