import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { checkWish, type Order, type OrderRecord, visible, type Wish } from './order.ts';
import { OrderProblem } from './problem.ts';

/** All orders of all tenants. Every query names the caller's tenant, and returns orders of that tenant only. */
export interface OrderBook {
  /** The tenant's orders, oldest first. */
  list(tenant: number): Order[];
  find(tenant: number, id: string): Order | undefined;
  /** The tenant's orders as they are now, and again after each change, until the signal is aborted or the book is closed. */
  follow(tenant: number, ended?: AbortSignal): AsyncGenerator<Order[]>;
  /** Resolves once the order is kept. @throws Problem `invalid-input` */
  place(tenant: number, wish: Wish): Promise<Order>;
  /** Cancelling what is cancelled changes nothing. @throws Problem `order-not-found`, `order-shipped` */
  cancel(tenant: number, id: string): Promise<Order>;
  /** Ends for all who follow it. */
  close(): void;
}

/** Where an order book is kept between two starts. */
export interface OrderStore {
  /** What is kept; where nothing is yet, `samples`, which are kept from now on. @throws StartError */
  load(samples: readonly OrderRecord[]): Promise<readonly OrderRecord[]>;
  save(orders: readonly OrderRecord[]): Promise<void>;
}

/** A change of the orders that waits to be kept. */
interface OrderChange {
  /** @throws Problem when the orders do not allow it. */
  readonly make: (current: readonly OrderRecord[]) => readonly OrderRecord[];
  readonly kept: () => void;
  readonly failed: (error: unknown) => void;
}

/** Opens the book that `store` keeps, or starts one with `samples`. */
export async function openOrderBook(store: OrderStore, samples: readonly OrderRecord[]): Promise<OrderBook> {
  let orders = await store.load(samples);
  const waiting: OrderChange[] = [];
  let isSaving = false;
  const saves = new EventEmitter().setMaxListeners(0);
  const closed = new AbortController();

  // None is seen by anybody before it is kept.
  function change(make: OrderChange['make']): Promise<void> {
    return new Promise((kept, failed) => {
      waiting.push({ make, kept, failed });
      if (!isSaving) void saveWaiting();
    });
  }

  // All that came during one save are kept by the next: however long a save takes, the line of those who wait is short.
  async function saveWaiting(): Promise<void> {
    isSaving = true;
    while (waiting.length > 0) await saveTogether(waiting.splice(0));
    isSaving = false;
  }

  async function saveTogether(changes: readonly OrderChange[]): Promise<void> {
    let next = orders;
    const made = changes.filter(({ make, failed }) => {
      try {
        next = make(next);
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    });
    try {
      if (made.length > 0) await store.save(next);
      orders = next;
      saves.emit('change');
      for (const { kept } of made) kept();
    } catch (error) {
      for (const { failed } of made) failed(error);
    }
  }

  function recordOf(tenant: number, id: string, among = orders): OrderRecord | undefined {
    return among.find((order) => order.tenant_id === tenant && order.id === id);
  }

  function list(tenant: number): Order[] {
    return orders.filter((order) => order.tenant_id === tenant).map(visible);
  }

  return {
    list,

    async *follow(tenant, ended = closed.signal) {
      const signal = AbortSignal.any([ended, closed.signal]);
      let sent: string | undefined;
      while (!signal.aborted) {
        const current = list(tenant);
        const text = JSON.stringify(current);
        if (text === sent) await once(saves, 'change', { signal }).catch(() => {});
        else {
          sent = text;
          yield current;
        }
      }
    },

    find(tenant, id) {
      const record = recordOf(tenant, id);
      return record && visible(record);
    },

    async place(tenant, given) {
      const { item, quantity } = checkWish(given);
      const placed: OrderRecord = {
        id: randomUUID(),
        tenant_id: tenant,
        item,
        quantity,
        status: 'placed',
        placed_at: new Date().toISOString(),
      };
      await change((current) => [...current, placed]);
      return visible(placed);
    },

    async cancel(tenant, id) {
      let cancelled: OrderRecord | undefined;
      await change((current) => {
        const record = recordOf(tenant, id, current);
        if (!record) throw new OrderProblem('order-not-found', 'there is no such order');
        if (record.status === 'shipped') throw new OrderProblem('order-shipped', 'the order has already been shipped');
        const result: OrderRecord = { ...record, status: 'cancelled' };
        cancelled = result;
        return current.map((order) => (order === record ? result : order));
      });
      if (!cancelled) throw new Error('a change that was kept has no result');
      return visible(cancelled);
    },

    close: () => closed.abort(),
  };
}
