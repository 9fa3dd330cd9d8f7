import { describe, expect, test } from '@jest/globals';
import { Chunks } from '../../platform/index.ts';

describe('the chunks of a body', () => {
  test('that come byte by byte take hardly more memory than their bytes', () => {
    const chunks = new Chunks();
    const bytes = Buffer.from('abcdefghij'.repeat(10_000));
    for (const byte of bytes) chunks.add(Buffer.from([byte]));
    expect(chunks.list.length).toBeLessThan(2 * 1_024);
    expect([chunks.size, chunks.toBuffer().equals(bytes)]).toEqual([bytes.length, true]);
  });

  test('are not copied where they are large, or where there is one', () => {
    const chunks = new Chunks();
    const large = Array.from({ length: 3_000 }, () => Buffer.alloc(4_096, 'x'));
    for (const chunk of large) chunks.add(chunk);
    expect(chunks.list).toEqual(large);
    const one = new Chunks();
    one.add(Buffer.from('whole'));
    expect(one.toBuffer()).toBe(one.list[0]);
    expect(new Chunks().toBuffer().length).toBe(0);
  });
});
