import { describe, expect, test } from '@jest/globals';
import { CircuitBreaker } from '../../../gateway/upstream/resilience/index.ts';

const SETTINGS = { failurePercent: 50, windowMs: 10_000, minimumRequests: 4, openMs: 5_000, halfOpenProbes: 2 };

/** A breaker with a clock of its own. */
function open(more: Partial<typeof SETTINGS> = {}) {
  const breaker = new CircuitBreaker({ ...SETTINGS, ...more });
  let now = 1_000_000;
  const send = (outcome: 'success' | 'failure' | 'unknown') => {
    const permit = breaker.enter(now);
    if (permit === undefined) return 'refused';
    breaker.leave(permit, outcome, now);
    return outcome;
  };
  return {
    breaker,
    send,
    all: (...outcomes: ('success' | 'failure' | 'unknown')[]) => outcomes.map(send),
    pass: (ms: number) => {
      now += ms;
    },
    enter: () => breaker.enter(now),
    leave: (permit: number | undefined, outcome: 'success' | 'failure' | 'unknown') =>
      breaker.leave(permit ?? -1, outcome, now),
    state: () => breaker.state(now),
    waitMs: () => breaker.waitMs(now),
  };
}

describe('a circuit breaker stays closed', () => {
  test('while there are too few requests to tell', () => {
    const one = open();
    one.all('failure', 'failure', 'failure');
    expect(one.state()).toBe('closed');
    expect(one.send('failure')).toBe('failure');
    expect(one.state()).toBe('open');
  });

  test('while fewer fail than may', () => {
    const one = open();
    one.all('success', 'success', 'success', 'failure', 'failure');
    expect(one.state()).toBe('closed');
    one.send('failure');
    expect(one.state()).toBe('open');
  });

  test('when the failures are long ago', () => {
    const one = open();
    one.all('failure', 'failure', 'failure');
    one.pass(10_001);
    one.send('failure');
    expect(one.state()).toBe('closed');
  });

  test('when clients only go away', () => {
    const one = open();
    one.all(...new Array(20).fill('unknown'));
    one.all('failure', 'failure', 'failure');
    expect(one.state()).toBe('closed');
  });

  test('and counts failures all through its window, not only since it last moved on', () => {
    const one = open();
    for (let i = 0; i < 4; i++) {
      expect(one.state()).toBe('closed');
      one.send('failure');
      one.pass(2_400);
    }
    expect(one.state()).toBe('open');
  });
});

describe('an open circuit breaker', () => {
  const broken = (more: Partial<typeof SETTINGS> = {}) => {
    const one = open(more);
    one.all('failure', 'failure', 'failure', 'failure');
    return one;
  };

  test('lets nothing through until its time is over, and reports how long that is', () => {
    const one = broken();
    expect([one.send('success'), one.waitMs()]).toEqual(['refused', 5_000]);
    one.pass(4_999);
    expect([one.send('success'), one.waitMs(), one.state()]).toEqual(['refused', 1, 'open']);
    one.pass(1);
    expect(one.state()).toBe('half-open');
    expect(one.send('success')).toBe('success');
  });

  test('sends no more probes at a time than it may', () => {
    const one = broken();
    one.pass(5_000);
    const probes = [one.enter(), one.enter(), one.enter()];
    expect(probes.map((probe) => probe !== undefined)).toEqual([true, true, false]);
    one.leave(probes[0], 'unknown');
    expect(one.enter()).toBeDefined();
  });

  test('closes when its probes have succeeded, and has forgotten what was', () => {
    const one = broken();
    one.pass(5_000);
    expect(one.all('success', 'success')).toEqual(['success', 'success']);
    expect(one.state()).toBe('closed');
    one.all('failure', 'failure', 'failure');
    expect(one.state()).toBe('closed');
  });

  test('opens again when a probe fails, for as long as before', () => {
    const one = broken();
    one.pass(5_000);
    one.all('success', 'failure');
    expect([one.state(), one.waitMs()]).toEqual(['open', 5_000]);
  });

  test('does not take late answers to earlier requests for probes', () => {
    const one = open();
    const late = [one.enter(), one.enter()];
    one.all('failure', 'failure', 'failure', 'failure');
    one.pass(5_000);
    const probe = one.enter();
    for (const permit of late) one.leave(permit, 'success');
    expect(one.state()).toBe('half-open');
    one.leave(probe, 'success');
    one.send('success');
    expect(one.state()).toBe('closed');
  });
});
