import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSealer } from '../../platform/index.ts';

describe('a sealed key', () => {
  const sealer = createSealer(randomBytes(32));
  const plain = Buffer.from('a private key');

  test('opens with the key and the name that it was sealed under', () => {
    expect(sealer.open(sealer.seal(plain, 'key-1'), 'key-1')).toEqual(plain);
  });

  test('does not open under another name', () => {
    expect(sealer.open(sealer.seal(plain, 'key-1'), 'key-2')).toBeUndefined();
  });

  test('does not open with another key', () => {
    expect(createSealer(randomBytes(32)).open(sealer.seal(plain, 'key-1'), 'key-1')).toBeUndefined();
  });

  test('does not open when any byte of it was changed, or its end is missing', () => {
    const sealed = sealer.seal(plain, 'key-1');
    for (const index of sealed.keys()) {
      const changed = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 1 : byte));
      expect(sealer.open(changed, 'key-1')).toBeUndefined();
      expect(sealer.open(sealed.subarray(0, index), 'key-1')).toBeUndefined();
    }
  });

  test('never looks the same twice and does not show what is in it', () => {
    const sealed = Buffer.from(sealer.seal(plain, 'key-1'));

    expect(sealed.includes(plain)).toBe(false);
    expect(sealed.equals(sealer.seal(plain, 'key-1'))).toBe(false);
  });
});

describe('sealing again, when the key is replaced', () => {
  test('moves what is under the previous key, and names what neither key opens', async () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const sealers = { old: createSealer(first), both: createSealer(second, first), fresh: createSealer(second) };
    const store = new Map<string, Uint8Array>([
      ['moved', sealers.old.seal(Buffer.from('one'), 'moved')],
      ['current', sealers.fresh.seal(Buffer.from('two'), 'current')],
      ['lost', createSealer(randomBytes(32)).seal(Buffer.from('three'), 'lost')],
    ]);
    const before = new Map(store);
    const stored = [...store].map(([name, sealed]) => ({
      name,
      sealed,
      store: async (now: Uint8Array) => store.set(name, now),
    }));

    expect(await sealers.both.reseal(stored)).toEqual({ resealed: 1, unopened: ['lost'] });
    expect(sealers.fresh.open(store.get('moved') ?? Buffer.of(), 'moved')).toEqual(Buffer.from('one'));
    for (const name of ['current', 'lost']) expect(store.get(name)).toBe(before.get(name));
  });
});
