import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dashboardFiles } from '../deploy/observability/dashboards/index.ts';
import { configurationPage } from './configuration-page.ts';
import { consoleSchemaFile } from './console-schema.ts';

// Writes what is generated, the page of settings, Grafana's dashboards and the console's schema: `npm run docs`.
const packageDir = resolve(import.meta.dirname, '../..');
writeFileSync(join(packageDir, 'docs/configuration.md'), configurationPage());
writeFileSync(join(packageDir, 'console/api/schema.d.ts'), consoleSchemaFile());
for (const [name, text] of dashboardFiles())
  writeFileSync(join(packageDir, 'deploy/observability/grafana/dashboards', name), text);
