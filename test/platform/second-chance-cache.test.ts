import { describe, expect, test } from '@jest/globals';
import { SecondChanceCache } from '../../platform/second-chance-cache.ts';

const cacheOf = (entries: number, ...weights: number[]) => {
  const forgotten: number[] = [];
  const cache = new SecondChanceCache<number>({ entries, weights }, (value) => forgotten.push(value));
  return { cache, forgotten };
};

describe('a cache with second chances', () => {
  test('evicts the oldest entry that was not read', () => {
    const { cache, forgotten } = cacheOf(3);
    for (const value of [1, 2, 3]) cache.keep(`${value}`, value, []);
    cache.get('1');
    cache.keep('4', 4, []);
    expect(forgotten).toEqual([2]);
    cache.keep('5', 5, []);
    expect(forgotten).toEqual([2, 3]);
    expect(cache.get('1')).toBe(1);
  });

  test('takes a new one when all have been asked for', () => {
    const { cache, forgotten } = cacheOf(2);
    for (const value of [1, 2]) cache.keep(`${value}`, value, []);
    for (const text of ['1', '2']) cache.get(text);
    expect(cache.keep('3', 3, [])).toBe(true);
    expect(forgotten).toEqual([1]);
    expect([cache.get('2'), cache.get('3')]).toEqual([2, 3]);
  });

  test('gives a second chance, not a third', () => {
    const { cache, forgotten } = cacheOf(2);
    for (const value of [1, 2]) cache.keep(`${value}`, value, []);
    cache.get('1');
    cache.keep('3', 3, []);
    cache.keep('4', 4, []);
    expect(forgotten).toEqual([2, 1]);
  });

  test('makes as much room as a heavy one needs, in each weight', () => {
    const { cache, forgotten } = cacheOf(100, 10, 100);
    for (const value of [1, 2, 3, 4]) cache.keep(`${value}`, value, [2, 1]);
    cache.keep('5', 5, [5, 1]);
    expect(forgotten).toEqual([1, 2]);
    cache.keep('6', 6, [1, 50]);
    expect(forgotten).toEqual([1, 2]);
    cache.keep('7', 7, [0, 48]);
    expect(forgotten).toEqual([1, 2, 3]);
  });

  test('does not keep what would take more than half of the room', () => {
    const { cache, forgotten } = cacheOf(100, 10);
    cache.keep('1', 1, [5]);
    expect(cache.keep('2', 2, [6])).toBe(false);
    expect([cache.get('1'), cache.get('2'), forgotten]).toEqual([1, undefined, []]);
  });

  test('keeps what it has under a text', () => {
    const { cache } = cacheOf(100, 10);
    cache.keep('a', 1, [1]);
    expect(cache.keep('a', 2, [1])).toBe(false);
    expect(cache.get('a')).toBe(1);
  });
});
