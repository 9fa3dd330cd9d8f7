/** A member of a chain, or of none. */
export class ListNode {
  chain: LinkedList<ListNode> | undefined;
  before: ListNode | undefined;
  after: ListNode | undefined;
}

/**
 * Things in the order in which they came, each of which can leave at any time at the same small cost. What leaves lets go
 * of its neighbours: the garbage collector takes what an old dead object refers to for alive until it looks at old objects
 * again, so one of them would hold on to all that came after it. The tables that a Set leaves behind as it changes do just
 * that.
 */
export class LinkedList<Member extends ListNode> {
  first: Member | undefined;
  #last: Member | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Puts `link`, which is in no chain, at the end. */
  add(link: Member): void {
    link.chain = this as LinkedList<ListNode>;
    link.before = this.#last;
    if (this.#last) this.#last.after = link;
    else this.first = link;
    this.#last = link;
    this.#size++;
  }

  /** Takes `link` out if it is in this chain. */
  delete(link: Member): void {
    if (link.chain !== this) return;
    const before = link.before as Member | undefined;
    const after = link.after as Member | undefined;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.#last = before;
    link.chain = undefined;
    link.before = undefined;
    link.after = undefined;
    this.#size--;
  }
}
