import { expect, test } from '@jest/globals';
import type { OrderRecord } from '../../../examples/orders/order.ts';
import { openOrderBook } from '../../../examples/orders/order-book.ts';

/** A store each of whose saves ends when the test says so. */
async function openSlowBook() {
  const saves: { orders: readonly OrderRecord[]; end(): void; fail(error: Error): void }[] = [];
  const book = await openOrderBook(
    {
      load: async () => [],
      save: (orders) => new Promise((end, fail) => saves.push({ orders, end, fail })),
    },
    [],
  );
  const items = () => book.list(1).map(({ item }) => item);
  const place = (item: string) => book.place(1, { item, quantity: 1 });
  return { book, saves, items, place };
}

test('orders that come during a save are kept by the next one together, and not seen before', async () => {
  const { saves, items, place } = await openSlowBook();
  const first = place('one');
  const later = [place('two'), place('three')];
  saves[0]?.end();
  await first;
  expect(items()).toEqual(['one']);
  expect(saves[1]?.orders.map(({ item }) => item)).toEqual(['one', 'two', 'three']);
  saves[1]?.end();
  await Promise.all(later);
  expect(items()).toEqual(['one', 'two', 'three']);
  expect(saves).toHaveLength(2);
});

test('a save that fails fails all changes that it was for, and the next begins from what was kept', async () => {
  const { saves, items, place } = await openSlowBook();
  const first = place('one');
  const later = Promise.allSettled([place('two'), place('three')]);
  saves[0]?.end();
  await first;
  saves[1]?.fail(new Error('the disk is full'));
  expect((await later).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(items()).toEqual(['one']);
  const next = place('four');
  saves[2]?.end();
  await next;
  expect(items()).toEqual(['one', 'four']);
});

test('a change that the orders do not allow fails alone', async () => {
  const { book, saves, items, place } = await openSlowBook();
  const first = place('one');
  const refused = expect(book.cancel(1, 'unknown')).rejects.toThrow('there is no such order');
  const second = place('two');
  saves[0]?.end();
  await first;
  await refused;
  saves[1]?.end();
  await second;
  expect(items()).toEqual(['one', 'two']);
});
