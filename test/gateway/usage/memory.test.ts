import { expect, test } from '@jest/globals';
import { buildSchema, getOperationAST, parse } from 'graphql';
import { describeUsedOperation } from '../../../gateway/operations/usage/describe-operation.ts';
import { hiveOperation } from '../../../gateway/operations/usage/hive-operation.ts';
import { OperationUsage } from '../../../gateway/operations/usage/operation-usage.ts';
import { UsageTable } from '../../../gateway/operations/usage/usage-table.ts';
import { collectGarbage } from './collect-garbage.ts';

const SCHEMA = buildSchema(
  'type Query { node(idOfTheWantedNode: ID): PurchaseOrderOfShop } type PurchaseOrderOfShop { id: ID }',
);
const MEGABYTE = 2 ** 20;

/** How much more memory is in use after it, while its result is kept. */
async function kept(step: () => unknown): Promise<number> {
  await collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const result = step();
  await collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  expect(result).toBeDefined();
  return grown;
}

test('the description of an operation keeps nothing of the document', async () => {
  const describeOne = (index: number) => {
    const document = parse(
      `query MadeUpByTheClient${index} { node(idOfTheWantedNode: 1) { ... on PurchaseOrderOfShop { id } } } # ${'x'.repeat(MEGABYTE)}`,
      { noLocation: true },
    );
    const operation = getOperationAST(document);
    if (!operation) throw new Error('no operation');
    const counted = { document, operation, schema: SCHEMA, role: 'clerk' };
    const description = describeUsedOperation(counted);
    return [description, hiveOperation(counted, description)];
  };
  describeOne(0);
  const grown = await kept(() => Array.from({ length: 20 }, (_, index) => describeOne(index)));
  expect(grown).toBeLessThan(8 * MEGABYTE);
});

test('what is kept with a document keeps no table that is finished', async () => {
  const newTable = () => new UsageTable({ operations: 10, clients: 10 });
  const target = { table: newTable(), hive: undefined };
  const description = { id: 'a', type: 'query', name: undefined, coordinates: [] } as const;
  const usage = new OperationUsage({ target, description, role: 'clerk', isPublic: false, hive: undefined });
  usage.ran({}, 0, 1);
  const finished = new WeakRef(target.table);
  target.table = newTable();
  await collectGarbage();
  expect(finished.deref()).toBeUndefined();
  usage.ran({}, 0, 1);
  expect([...target.table.operations]).toHaveLength(1);
});
