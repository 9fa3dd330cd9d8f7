import { Readable } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { keeper } from '../harness/index.ts';
import { openGuarded } from './guarded.ts';

const { keep, close } = keeper();
afterEach(close);

const circuitBreaker = {
  failurePercent: 50,
  windowMs: 60_000,
  minimumRequests: 3,
  openMs: 60_000,
  halfOpenProbes: 1,
};

test('clients that upload too slowly do not take a service away from others, a slow service does', async () => {
  const { guard, send } = await keep(openGuarded({ circuitBreaker }));
  const upload = () => send({ body: new Readable({ read: () => {} }), isQuery: false, timeoutMs: 100 }).came;
  expect(await Promise.all([upload(), upload(), upload(), upload()])).toEqual(new Array(4).fill('timeout'));
  expect(guard.state().breaker).toBe('closed');
  const late = () => send({ timeoutMs: 100 }).came;
  expect(await Promise.all([late(), late(), late()])).toEqual(new Array(3).fill('timeout'));
  expect(guard.state().breaker).toBe('open');
});
