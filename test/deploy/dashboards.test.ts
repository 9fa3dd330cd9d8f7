import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dashboard, Panel } from '@grafana/schema';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { dashboardFiles } from '../../deploy/observability/dashboards/index.ts';

const DIRECTORY = 'deploy/observability/grafana/dashboards';
const ALERTS = parse(readFileSync('deploy/observability/prometheus/rules/alerts.yml', 'utf8')) as {
  groups: { rules: { alert: string }[] }[];
};
const alerts = ALERTS.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

const files = [...dashboardFiles()];
const dashboards = files.map(([name, text]) => [name, JSON.parse(text) as Dashboard] as const);
const panelsOf = ({ panels = [] }: Dashboard) => panels.filter((panel): panel is Panel => panel.type !== 'row');

test('the files of the dashboards are current: npm run docs', () => {
  expect(readdirSync(DIRECTORY).sort()).toEqual(files.map(([name]) => name).sort());
  for (const [name, text] of files) expect([name, readFileSync(join(DIRECTORY, name), 'utf8')]).toEqual([name, text]);
});

describe.each(dashboards)('the dashboard %s', (_name, dashboard) => {
  test('has panels with a title, a description, a unit and queries', () => {
    for (const { title, description, fieldConfig, targets } of panelsOf(dashboard)) {
      expect([title, description, fieldConfig?.defaults.unit]).toEqual(Array(3).fill(expect.stringMatching(/./)));
      expect([title, targets?.length]).not.toEqual([title, 0]);
    }
  });

  test('uses only variables that it has, or that are Grafana’s', () => {
    const known = (dashboard.templating?.list ?? []).map(({ name }) => name);
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(?!_)([a-z]+)/g)].map(([, name]) => name);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => name === undefined || !known.includes(name))).toEqual([]);
  });

  test('places its panels side by side, without overlaps', () => {
    const taken = new Set<string>();
    for (const { gridPos = { x: 0, y: 0, w: 0, h: 0 }, title } of dashboard.panels ?? []) {
      expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect([title, taken.has(`${x},${y}`)]).toEqual([title, false]);
          taken.add(`${x},${y}`);
        }
    }
  });

  test('gives each panel an id of its own', () => {
    const ids = (dashboard.panels ?? []).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('links to runbooks of alerts that exist', () => {
    const fragments = panelsOf(dashboard).flatMap(({ links = [] }) =>
      links.flatMap(({ url = '' }) => url.match(/observability\.md#(\w+)/)?.[1] ?? []),
    );
    expect(fragments.filter((fragment) => !alerts.some((alert) => alert.toLowerCase() === fragment))).toEqual([]);
  });
});

test('each alert but that of Prometheus’ own settings has a panel that shows its cause', () => {
  const text = JSON.stringify(dashboards);
  expect(alerts.filter((alert) => !text.includes(`Runbook: ${alert}"`))).toEqual(['PorticoTargetsAbsent']);
});
