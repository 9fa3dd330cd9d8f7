import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dashboardFiles } from '../deploy/observability/dashboards/index.ts';
import { configurationPage } from './configuration-page.ts';

// Writes what is generated, the page of settings and Grafana's dashboards: `npm run docs`.
const packageDir = resolve(import.meta.dirname, '../..');
writeFileSync(join(packageDir, 'docs/configuration.md'), configurationPage());
for (const [name, text] of dashboardFiles())
  writeFileSync(join(packageDir, 'deploy/observability/grafana/dashboards', name), text);
