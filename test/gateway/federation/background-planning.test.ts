import { afterAll, expect, test } from '@jest/globals';
import { FederatedGraph, openPlanners, PlannerStopped } from '../../../gateway/federation/index.ts';
import { until, watchThreads } from '../harness/index.ts';
import { openLibrary } from './library.ts';

const running = watchThreads();
const library = await openLibrary();
afterAll(() => library.close());

const QUERY = '{ items { id title } }';

async function open() {
  const planners = await openPlanners(library.supergraphSdl, { threadFrom: 0, graceMs: 0 });
  const graph = new FederatedGraph<undefined>({
    supergraphSdl: library.supergraphSdl,
    ...planners,
    send: () => {
      throw new Error('nothing is sent');
    },
  });
  const close = async () => {
    planners.setActive(false);
    await until('the threads end', () => running.size === 0);
  };
  return { planners, graph, close };
}

test('the event loop goes on while a plan is made', async () => {
  const { planners, graph, close } = await open();
  const order: string[] = [];
  const planning = planners.withoutBlocking(() => graph.prepare(QUERY));
  expect(planning).toBeInstanceOf(Promise);
  setImmediate(() => order.push('something else'));
  const join = await planning;
  order.push('the plan');
  expect(order).toEqual(['something else', 'the plan']);
  expect(join.relay({})?.body({})).toEqual(library.graph.prepare(QUERY).relay({})?.body({}));
  await close();
});

test('plans that are asked for without blocking and with it come to those that asked', async () => {
  const { planners, close } = await open();
  const texts = ['{ items { id } }', '{ items { title } }', QUERY];
  const expected = texts.map((text) => planners.plan(text, undefined));
  const later = texts.map((text) => planners.withoutBlocking(() => planners.plan(text, undefined)));
  expect(planners.plan(QUERY, undefined)).toEqual(expected[2]);
  expect(await Promise.all(later)).toEqual(expected);
  const failing = planners.withoutBlocking(() => planners.plan('{ nothing }', undefined));
  await expect(failing).rejects.toThrow('cannot be planned');
  await close();
});

test('a thread that ends fails what waits for its plans', async () => {
  const { planners, close } = await open();
  // It is told to end before it is asked: it could answer otherwise.
  const ended = [...running].map((thread) => thread.terminate());
  const waiting = planners.withoutBlocking(() => planners.plan(QUERY, undefined));
  await Promise.all([expect(waiting).rejects.toThrow(PlannerStopped), ...ended]);
  await close();
});
