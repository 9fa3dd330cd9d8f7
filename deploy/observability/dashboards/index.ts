import { auth } from './auth.ts';
import { dashboardJson } from './dashboard-json.ts';
import type { DashboardDescription } from './description.ts';
import { jobs } from './jobs.ts';
import { overview } from './overview.ts';
import { processes } from './processes.ts';
import { sources } from './sources.ts';
import { subscriptions } from './subscriptions.ts';

const DASHBOARDS: readonly DashboardDescription[] = [overview, sources, auth, subscriptions, jobs, processes];

/** The text of each file in `deploy/observability/grafana/dashboards/`, by its name. */
export function dashboardFiles(): ReadonlyMap<string, string> {
  return new Map(
    DASHBOARDS.map((dashboard) => [
      `${dashboard.name}.json`,
      `${JSON.stringify(dashboardJson(dashboard), undefined, 2)}\n`,
    ]),
  );
}
