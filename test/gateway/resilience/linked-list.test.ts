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

function listOf(members: readonly Named[]): LinkedList<Named> {
  const list = new LinkedList<Named>();
  for (const member of members) list.add(member);
  return list;
}

/** Takes out the first one until none is left. */
function emptied(list: LinkedList<Named>): string[] {
  const names: string[] = [];
  for (let first = list.first; first; first = list.first) {
    names.push(first.name);
    list.delete(first);
  }
  return names;
}

describe('a list', () => {
  test('keeps the order in which its members came', () => {
    const list = listOf(named('a', 'b', 'c'));
    expect(list.size).toBe(3);
    expect(emptied(list)).toEqual(['a', 'b', 'c']);
    expect(list.size).toBe(0);
  });

  test.each([
    ['a', ['b', 'c', 'd']],
    ['b', ['a', 'c', 'd']],
    ['c', ['a', 'b', 'd']],
  ])('closes where %s has left, and takes one more', (name, left) => {
    const members = named('a', 'b', 'c');
    const list = listOf(members);
    for (const member of members) if (member.name === name) list.delete(member);
    list.add(new Named('d'));
    expect([list.size, emptied(list)]).toEqual([3, left]);
  });

  test('is left by a node, which may leave again or come back', () => {
    const [a, b, c] = named('a', 'b', 'c');
    const list = listOf([a, b, c]);
    list.delete(b);
    list.delete(b);
    expect([b.before, b.after, b.list, list.size]).toEqual([undefined, undefined, undefined, 2]);
    list.add(b);
    expect(emptied(list)).toEqual(['a', 'c', 'b']);
  });

  test('does not give up what is in another one', () => {
    const members = named('a', 'b', 'c');
    const list = listOf(members);
    new LinkedList<Named>().delete(members[1]);
    expect(emptied(list)).toEqual(['a', 'b', 'c']);
  });
});
