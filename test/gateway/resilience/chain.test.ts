import { describe, expect, test } from '@jest/globals';
import { LinkedList, ListNode } from '../../../gateway/upstream/resilience/index.ts';

class Named extends ListNode {
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
}

const named = (...names: string[]) => names.map((name) => new Named(name)) as [Named, Named, Named];

function chainOf(members: readonly Named[]): LinkedList<Named> {
  const chain = new LinkedList<Named>();
  for (const member of members) chain.add(member);
  return chain;
}

/** Takes out the first one until none is left. */
function emptied(chain: LinkedList<Named>): string[] {
  const names: string[] = [];
  for (let first = chain.first; first; first = chain.first) {
    names.push(first.name);
    chain.delete(first);
  }
  return names;
}

describe('a chain', () => {
  test('keeps the order in which its members came', () => {
    const chain = chainOf(named('a', 'b', 'c'));
    expect(chain.size).toBe(3);
    expect(emptied(chain)).toEqual(['a', 'b', 'c']);
    expect(chain.size).toBe(0);
  });

  test.each([
    ['a', ['b', 'c', 'd']],
    ['b', ['a', 'c', 'd']],
    ['c', ['a', 'b', 'd']],
  ])('closes where %s has left, and takes one more', (name, left) => {
    const members = named('a', 'b', 'c');
    const chain = chainOf(members);
    for (const member of members) if (member.name === name) chain.delete(member);
    chain.add(new Named('d'));
    expect([chain.size, emptied(chain)]).toEqual([3, left]);
  });

  test('is left by a node, which may leave again or come back', () => {
    const [a, b, c] = named('a', 'b', 'c');
    const chain = chainOf([a, b, c]);
    chain.delete(b);
    chain.delete(b);
    expect([b.before, b.after, b.chain, chain.size]).toEqual([undefined, undefined, undefined, 2]);
    chain.add(b);
    expect(emptied(chain)).toEqual(['a', 'c', 'b']);
  });

  test('does not give up what is in another one', () => {
    const members = named('a', 'b', 'c');
    const chain = chainOf(members);
    new LinkedList<Named>().delete(members[1]);
    expect(emptied(chain)).toEqual(['a', 'b', 'c']);
  });
});
