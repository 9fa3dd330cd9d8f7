import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Cancellation } from '../../../platform/index.ts';
import type { Service } from './in-process-services.ts';
import { type Engine, openProductEngine } from './product-engine.ts';

const nothing: Service = () => ({ data: null, errors: [{ message: 'nothing' }] });
let engine: Engine;
beforeAll(async () => {
  const sdls = {
    things: 'type Query { thing(n: Int): Thing } type Thing @key(fields: "id") { id: ID! }',
    sizes: 'type Thing @key(fields: "id") { id: ID! size(n: Int): Int }',
  };
  const subgraphs = Object.entries(sdls).map(([name, sdl]) => ({ name, sdl }));
  engine = await openProductEngine({ subgraphs }, new Map(subgraphs.map(({ name }) => [name, nothing])));
});
afterAll(() => engine.close());

const joins = (count: number) =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: thing(n: ${at}) { size }`).join(' ')} }`;

test('an operation that is cancelled while it is planned calls no service, and later ones are answered', async () => {
  const cancellation = new Cancellation();
  const running = engine.run(joins(200), {}, cancellation);
  cancellation.cancel();
  expect((await running).calls).toEqual([]);
  expect((await engine.run(joins(200))).calls).not.toEqual([]);
});

test('an operation that is refused after several turns calls no service', async () => {
  const { calls, data, errors } = await engine.run(joins(2000));
  expect(data).toBeUndefined();
  expect(errors).toMatchObject([{ extensions: { code: 'plan-too-complex' } }]);
  expect(calls).toEqual([]);
});
