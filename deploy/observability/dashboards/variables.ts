import { type VariableModel, VariableRefresh, VariableSort } from '@grafana/schema';
import type { DashboardDescription } from './description.ts';

/** What Grafana replaces by the value of a variable. */
export function variableValue(variable: string): string {
  return `\${${variable}}`;
}

/** The selected Prometheus. */
export const PROMETHEUS = { type: 'prometheus', uid: variableValue('datasource') };
/** The selected trace store. */
export const TRACE_STORE = { type: 'tempo', uid: variableValue('traces') };

/** Where deploy/observability/compose.yml shows the documentation. */
const DOCS_ADDRESS = '/public/portico-docs/';

export function variablesOf({ series, filter }: DashboardDescription): VariableModel[] {
  return [
    { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
    labelVariable('job', 'Job', `label_values(${series}, job)`),
    labelVariable('instance', 'Instance', `label_values(${series}{job=~"$job"}, instance)`),
    // Without workers there is no such label, which only this value selects.
    { ...labelVariable('worker', 'Worker', `label_values(${series}{job=~"$job"}, worker)`), allValue: '.*' },
    ...(filter
      ? [
          {
            ...labelVariable(filter.name, 'Service', `label_values(${filter.series}{job=~"$job"}, ${filter.label})`),
            allValue: '.*',
          },
        ]
      : []),
    { name: 'traces', label: 'Traces', type: 'datasource', query: 'tempo' },
    {
      name: 'docs',
      label: 'Documentation',
      description: 'The address of the folder docs, for links to runbooks',
      type: 'textbox',
      query: DOCS_ADDRESS,
      current: { text: DOCS_ADDRESS, value: DOCS_ADDRESS },
    },
  ];
}

function labelVariable(name: string, label: string, query: string): VariableModel {
  return {
    name,
    label,
    type: 'query',
    datasource: PROMETHEUS,
    query: { query, refId: name },
    refresh: VariableRefresh.onTimeRangeChanged,
    sort: VariableSort.naturalAsc,
    includeAll: true,
    multi: true,
    current: { text: ['All'], value: ['$__all'] },
  };
}
