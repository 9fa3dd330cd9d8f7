import type { OrderRecord } from './order.ts';

/** What a new order book starts with. Nothing of tenant 1 can be taken for something of tenant 2. */
export const SAMPLE_ORDERS: readonly OrderRecord[] = [
  {
    id: 'acme-1001',
    tenant_id: 1,
    item: 'Anvil, 50 kg',
    quantity: 2,
    status: 'shipped',
    placed_at: '2026-01-12T09:30:00.000Z',
  },
  {
    id: 'acme-1002',
    tenant_id: 1,
    item: 'Rocket skates',
    quantity: 1,
    status: 'placed',
    placed_at: '2026-02-03T14:05:00.000Z',
  },
  {
    id: 'acme-1003',
    tenant_id: 1,
    item: 'Giant rubber band',
    quantity: 12,
    status: 'placed',
    placed_at: '2026-02-20T08:00:00.000Z',
  },
  {
    id: 'globex-2001',
    tenant_id: 2,
    item: 'Hammock, double',
    quantity: 40,
    status: 'shipped',
    placed_at: '2026-01-20T11:45:00.000Z',
  },
  {
    id: 'globex-2002',
    tenant_id: 2,
    item: 'Weather machine, used',
    quantity: 1,
    status: 'placed',
    placed_at: '2026-03-01T16:20:00.000Z',
  },
];
