import { type DashboardDescription, gaugeOf, rateOf } from './description.ts';

export const subscriptions: DashboardDescription = {
  name: 'subscriptions',
  title: 'Subscriptions and connections',
  description: 'Long-lived connections: subscriptions over WebSockets and event streams, slow and refused clients.',
  series: 'portico_documents_total',
  rows: [
    {
      title: 'Subscriptions',
      panels: [
        {
          title: 'Open subscriptions',
          description: 'Subscriptions that are running.',
          unit: 'none',
          queries: [{ expr: gaugeOf('sum', 'portico_subscriptions_active', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Started subscriptions',
          description: 'High with a steady number of open ones: clients connect again and again.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_subscriptions_total', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Ended subscriptions',
          description: 'By the reason of the end.',
          unit: 'ops',
          queries: [{ expr: rateOf('portico_subscriptions_ended_total', 'reason'), legend: '{{reason}}' }],
          alert: 'PorticoSubscriptionsFail',
        },
      ],
    },
    {
      title: 'Connections',
      panels: [
        {
          title: 'WebSockets and event streams',
          description: 'Long-lived connections of clients that are open.',
          unit: 'none',
          width: 6,
          queries: [{ expr: gaugeOf('sum', 'portico_live_connections', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Connections of clients',
          description: 'All that are open, idle ones too.',
          unit: 'none',
          width: 6,
          queries: [{ expr: gaugeOf('sum', 'portico_connections', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Refused connections',
          description: 'Too many of one address, or in total.',
          unit: 'cps',
          width: 6,
          queries: [{ expr: rateOf('portico_connections_refused_total', 'reason'), legend: '{{reason}}' }],
          alert: 'PorticoConnectionsRefused',
        },
        {
          title: 'Slow clients',
          description:
            'Connections that were closed: headers or a body arrived too slowly, or a response was not read.',
          unit: 'cps',
          width: 6,
          queries: [{ expr: rateOf('portico_slow_clients_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Paused responses of services',
          description: 'Long responses whose reading is paused, since clients read them slower than services send.',
          unit: 'none',
          width: 12,
          queries: [{ expr: gaugeOf('sum', 'portico_upstream_held_answers', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Bytes to clients',
          description: 'Bodies of responses and events.',
          unit: 'Bps',
          width: 12,
          queries: [{ expr: rateOf('portico_http_sent_bytes_total', 'instance'), legend: '{{instance}}' }],
        },
      ],
    },
  ],
};
