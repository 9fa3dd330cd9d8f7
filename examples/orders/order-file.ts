import { open, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import { StartError } from '../../platform/index.ts';
import { type OrderRecord, orderRecord } from './order.ts';
import type { OrderStore } from './order-book.ts';

/** Keeps nothing: the orders last as long as the process. */
export const forgetful: OrderStore = {
  load: async (samples) => samples,
  save: async () => {},
};

/** Keeps the orders in one JSON file in an existing directory. The file is always either the old one or the new one, never half of either. */
export function orderFile(path: string): OrderStore {
  return {
    async load(samples) {
      const text = await readFile(path, 'utf8').catch((error) => {
        if (error.code === 'ENOENT') return undefined;
        throw new StartError(`ORDERS_DATA: cannot read ${path} (${error.code})`);
      });
      if (text !== undefined) return parse(text, path);
      await replaceFile(path, samples).catch((error) => {
        throw new StartError(`ORDERS_DATA: cannot write ${path} (${error.code})`);
      });
      return samples;
    },

    save: (orders) => replaceFile(path, orders),
  };
}

async function replaceFile(path: string, orders: readonly OrderRecord[]): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(orders, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

function parse(text: string, path: string): readonly OrderRecord[] {
  try {
    return z.array(orderRecord).parse(JSON.parse(text));
  } catch {
    throw new StartError(`ORDERS_DATA: ${path} does not hold a list of orders`);
  }
}
