import type { Dashboard, DashboardLink, Panel, RowPanel, Threshold } from '@grafana/schema';
import { DashboardCursorSync, FieldColorModeId, MappingType, ThresholdsMode, type ValueMapping } from '@grafana/schema';
import type { DashboardDescription, PanelDescription, QueryDescription, RowDescription } from './description.ts';
import { PROMETHEUS, TRACE_STORE, variablesOf, variableValue } from './variables.ts';

/** Grafana's columns. */
const COLUMNS = 24;
const ROW_HEIGHT = 1;
const HEIGHTS = { graph: 8, number: 4, states: 8 } as const;
/** Of the classic JSON model, which Grafana migrates to its own version when it loads a dashboard. */
const SCHEMA_VERSION = 42;

/** A dashboard in Grafana's classic JSON model, which can be provisioned and imported. */
export function dashboardJson(dashboard: DashboardDescription): Dashboard {
  return {
    uid: `portico-${dashboard.name}`,
    title: `Portico: ${dashboard.title}`,
    description: dashboard.description,
    tags: ['portico'],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: DashboardCursorSync.Crosshair,
    time: { from: 'now-1h', to: 'now' },
    refresh: '30s',
    timezone: 'browser',
    links: [
      {
        ...LINK,
        title: 'Portico',
        type: 'dashboards',
        tags: ['portico'],
        asDropdown: true,
        includeVars: false,
        keepTime: true,
      },
      { ...LINK, title: 'Runbooks', url: `${DOCS}#runbooks`, icon: 'doc', targetBlank: true },
    ],
    templating: { list: variablesOf(dashboard) },
    panels: panelsOf(dashboard.rows),
  };
}

/** The page of the runbooks; the variable says where the documentation is read. */
const DOCS = `${variableValue('docs')}observability.md`;

const LINK: DashboardLink = {
  title: '',
  type: 'link',
  icon: 'external link',
  tooltip: '',
  tags: [],
  url: '',
  asDropdown: false,
  includeVars: false,
  keepTime: false,
  targetBlank: false,
};

function panelsOf(rows: readonly RowDescription[]): (Panel | RowPanel)[] {
  const panels: (Panel | RowPanel)[] = [];
  const nextId = () => panels.length + 1;
  let y = 0;
  for (const row of rows) {
    const gridPos = { h: ROW_HEIGHT, w: COLUMNS, x: 0, y };
    panels.push({ id: nextId(), type: 'row', title: row.title, collapsed: false, gridPos, panels: [] });
    y += ROW_HEIGHT;
    let x = 0;
    let height = 0;
    for (const panel of row.panels) {
      const width = panel.width ?? 8;
      const own = HEIGHTS[panel.kind ?? 'graph'];
      if (x + width > COLUMNS) {
        y += height;
        x = 0;
        height = 0;
      }
      panels.push({ id: nextId(), gridPos: { h: own, w: width, x, y }, ...panelJson(panel) });
      x += width;
      height = Math.max(height, own);
    }
    y += height;
  }
  return panels;
}

function panelJson(panel: PanelDescription): Panel {
  const kind = panel.kind ?? 'graph';
  const links = linksOf(panel);
  return {
    title: panel.title,
    description: panel.description,
    datasource: PROMETHEUS,
    ...DRAWN[kind],
    targets: panel.queries.map((query, index) => target(query, String.fromCharCode(65 + index), kind === 'number')),
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        ...(panel.max === undefined ? {} : { max: panel.max }),
        ...(panel.unit === 'dtdurations' ? {} : { min: 0 }),
        color: { mode: kind === 'graph' ? FieldColorModeId.PaletteClassic : FieldColorModeId.Thresholds },
        thresholds: { mode: ThresholdsMode.Absolute, steps: thresholds(panel) },
        ...(panel.states ? { mappings: [valueMapping(panel.states)] } : {}),
        ...(panel.linksToSource ? { links: [SOURCE_LINK] } : {}),
        ...(kind === 'graph'
          ? { custom: { lineWidth: 1, fillOpacity: 8, showPoints: 'never', spanNulls: false } }
          : {}),
      },
      overrides: [],
    },
    ...(links.length > 0 ? { links } : {}),
  };
}

const DRAWN = {
  graph: {
    type: 'timeseries',
    options: {
      legend: { displayMode: 'table', placement: 'bottom', showLegend: true, calcs: ['lastNotNull', 'max'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  },
  number: {
    type: 'stat',
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      colorMode: 'value',
      graphMode: 'area',
      justifyMode: 'auto',
      textMode: 'auto',
      orientation: 'auto',
    },
  },
  states: {
    type: 'state-timeline',
    options: {
      showValue: 'never',
      mergeValues: true,
      alignValue: 'left',
      rowHeight: 0.8,
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'single' },
    },
  },
} as const satisfies Record<string, Pick<Panel, 'type' | 'options'>>;

function target({ expr, legend, exemplars }: QueryDescription, refId: string, isInstant: boolean) {
  return {
    refId,
    datasource: PROMETHEUS,
    editorMode: 'code',
    expr,
    legendFormat: legend,
    range: !isInstant,
    instant: isInstant,
    exemplar: exemplars ?? false,
  };
}

function thresholds({ limits, states }: PanelDescription): Threshold[] {
  const base = (color: string): Threshold => ({ color, value: null });
  if (states) return [base('text')];
  if (!limits) return [base('green')];
  const { yellow, red } = limits;
  return red > yellow
    ? [base('green'), { color: 'yellow', value: yellow }, { color: 'red', value: red }]
    : [base('red'), { color: 'yellow', value: red }, { color: 'green', value: yellow }];
}

function valueMapping(states: NonNullable<PanelDescription['states']>): ValueMapping {
  const options = Object.entries(states).map(([value, state], index) => [value, { ...state, index }] as const);
  return { type: MappingType.ValueToText, options: Object.fromEntries(options) };
}

/** From a series to the dashboard of its service, over the same time. */
const SOURCE_LINK = {
  title: 'This service in "Portico: Sources"',
  url: `/d/portico-sources?var-service=${variableValue('__field.labels.service')}&${variableValue('datasource:queryparam')}&${variableValue('__url_time_range')}`,
};

function linksOf({ alert, traces }: PanelDescription): DashboardLink[] {
  return [
    ...(traces ? [{ ...LINK, title: 'Traces of these requests', url: exploreUrl(traces) }] : []),
    ...(alert
      ? [{ ...LINK, title: `Runbook: ${alert}`, url: `${DOCS}#${alert.toLowerCase()}`, targetBlank: true }]
      : []),
  ];
}

/** Grafana's page "Explore" with a query of the trace store. Variables must stay as they are, the rest is encoded. */
function exploreUrl(query: string): string {
  const pane = {
    datasource: TRACE_STORE.uid,
    queries: [{ refId: 'A', datasource: TRACE_STORE, queryType: 'traceql', query, limit: 50 }],
    range: { from: variableValue('__from'), to: variableValue('__to') },
  };
  const encoded = encodeURIComponent(JSON.stringify({ portico: pane }));
  const withVariables = encoded.replace(/%24%7B(\w+(?:%3A\w+)?)%7D/g, (variable) => decodeURIComponent(variable));
  return `/explore?schemaVersion=1&panes=${withVariables}`;
}
