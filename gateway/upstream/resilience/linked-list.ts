/** A member of a chain, or of none. */
export class ListNode {
  chain: LinkedList<ListNode> | undefined;
  before: ListNode | undefined;
  after: ListNode | undefined;
}

/**
 * A doubly linked list: members stay in the order of insertion and are removed in constant time. A removed member drops
 * its references to its neighbours. Otherwise, a dead object of the old generation would keep all later ones alive
 * until the next full garbage collection, as the tables do that a changing Set leaves behind.
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
