import { gaugeOf, quantileOf, type RowDescription, rateOf, shareOf } from './description.ts';

/** GraphQL operations, and the caches that they are prepared from. */
export const operations: RowDescription = {
  title: 'Operations',
  panels: [
    {
      title: 'Operations by outcome',
      description: 'Queries and mutations that were run; errors: the response had at least one.',
      unit: 'ops',
      queries: [{ expr: rateOf('portico_operations_total', 'type, outcome'), legend: '{{type}} {{outcome}}' }],
      alert: 'PorticoOperationErrors',
    },
    {
      title: 'Duration of operations, 95th percentile',
      description: 'Time from the start of an operation to its result.',
      unit: 's',
      queries: [
        {
          expr: quantileOf(0.95, 'portico_operation_duration_seconds', 'type'),
          legend: '{{type}}',
          exemplars: true,
        },
      ],
    },
    {
      title: 'Rejected operations',
      description: 'Rejected before execution: invalid, too large, not permitted, too many.',
      unit: 'ops',
      queries: [{ expr: rateOf('portico_operations_refused_total', 'instance'), legend: '{{instance}}' }],
    },
    {
      title: 'Named operations',
      description: 'Saved, allow-listed and persisted operations, the ten most frequent.',
      unit: 'ops',
      queries: [
        {
          expr: `topk(10, ${rateOf('portico_named_operations_total', 'operation, client')})`,
          legend: '{{operation}} {{client}}',
        },
      ],
    },
    {
      title: 'Slowest named operations, 95th percentile',
      description: 'The ten slowest of the saved, allow-listed and persisted operations.',
      unit: 's',
      queries: [
        {
          expr: `topk(10, ${quantileOf(0.95, 'portico_named_operation_duration_seconds', 'operation')})`,
          legend: '{{operation}}',
        },
      ],
    },
    {
      title: 'Failed named operations',
      description: 'Share of the runs of an operation whose response had errors.',
      unit: 'percentunit',
      queries: [
        {
          expr: `topk(10, ${shareOf('portico_named_operations_total', 'outcome="errors"', 'operation')})`,
          legend: '{{operation}}',
        },
      ],
    },
    {
      title: 'Hits of caches',
      description:
        'Share of documents, plans and tokens that were cached. Low for documents: clients write values into them.',
      unit: 'percentunit',
      max: 1,
      queries: [
        { expr: shareOf('portico_documents_total', 'cache="hit"', 'job'), legend: 'documents' },
        { expr: shareOf('portico_plans_total', 'cache="hit"', 'job'), legend: 'plans' },
        { expr: shareOf('portico_tokens_total', 'cache="hit"', 'job'), legend: 'verified tokens' },
      ],
    },
    {
      title: 'Entries of caches',
      description: 'What the caches of all processes hold, together.',
      unit: 'none',
      queries: [{ expr: gaugeOf('sum', 'portico_cache_entries', 'cache'), legend: '{{cache}}' }],
    },
    {
      title: 'Requests by the id of a document',
      description: 'Persisted queries that were found (hit), or that the client has to send once more with their text.',
      unit: 'ops',
      queries: [{ expr: rateOf('portico_persisted_queries_total', 'cache'), legend: '{{cache}}' }],
    },
    {
      title: 'Validation and planning, 95th percentile',
      description: 'Of documents that were not cached.',
      unit: 's',
      queries: [
        { expr: quantileOf(0.95, 'portico_validation_duration_seconds'), legend: 'validation' },
        { expr: quantileOf(0.95, 'portico_planning_duration_seconds'), legend: 'planning' },
      ],
    },
  ],
};
