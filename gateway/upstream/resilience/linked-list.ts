/** A member of at most one list. */
export class ListNode {
  list: LinkedList<ListNode> | undefined;
  before: ListNode | undefined;
  after: ListNode | undefined;
}

/**
 * A doubly linked list. Members keep the order of insertion and are removed in constant time. A removed member drops
 * its references to its neighbours. Otherwise a dead object in the old generation would keep all later members alive
 * until the next full garbage collection. The discarded tables of a changing `Set` have this effect.
 */
export class LinkedList<Member extends ListNode> {
  first: Member | undefined;
  #last: Member | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Appends `node`, which must not be in a list. */
  add(node: Member): void {
    node.list = this as LinkedList<ListNode>;
    node.before = this.#last;
    if (this.#last) this.#last.after = node;
    else this.first = node;
    this.#last = node;
    this.#size++;
  }

  /** Removes `node` if it is in this list. */
  delete(node: Member): void {
    if (node.list !== this) return;
    const before = node.before as Member | undefined;
    const after = node.after as Member | undefined;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.#last = before;
    node.list = undefined;
    node.before = undefined;
    node.after = undefined;
    this.#size--;
  }
}
