import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const PROMETHEUS = 'deploy/observability/prometheus';

interface Rule {
  readonly alert?: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
  }[];
}

const filesIn = (folder: string) => readdirSync(join(PROMETHEUS, folder)).map((name) => join(PROMETHEUS, folder, name));
const read = <Content>(file: string) => parse(readFileSync(file, 'utf8')) as Content;

const rules = filesIn('rules')
  .flatMap((file) => read<{ groups: { rules: Rule[] }[] }>(file).groups)
  .flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const tried = filesIn('tests')
  .flatMap((file) => read<RuleTests>(file).tests)
  .flatMap((one) => one.alert_rule_test ?? []);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) process.stderr.write('\nALERTS NOT TESTED: install promtool (Debian: apt-get install prometheus)\n');

describe.each(alerts.map((rule) => [rule.alert ?? '', rule] as const))('the alert %s', (name, rule) => {
  test('has a severity, a summary, a description and a runbook', () => {
    expect(['critical', 'warning']).toContain(rule.labels?.severity);
    expect(rule.annotations).toEqual({
      summary: expect.stringMatching(/./),
      description: expect.stringMatching(/\.$/),
      runbook_url: `docs/observability.md#${name.toLowerCase()}`,
    });
    expect(readFileSync('docs/observability.md', 'utf8')).toContain(`\n### ${name}\n`);
  });

  test('is tried where it fires and where it does not', () => {
    const cases = tried.filter(({ alertname }) => alertname === name).map(({ exp_alerts }) => exp_alerts.length > 0);
    expect([...new Set(cases)].sort()).toEqual([false, true]);
  });
});

(hasPromtool ? test : test.skip)('promtool accepts the scrape settings and the rules, and their tests succeed', () => {
  const runs = [
    ['check', 'config', join(PROMETHEUS, 'prometheus.yml')],
    ['check', 'rules', ...filesIn('rules')],
    ['test', 'rules', ...filesIn('tests')],
  ].map((words) => spawnSync('promtool', words, { encoding: 'utf8' }));
  for (const { status, stdout, stderr } of runs) expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
});
