/** A member of a list, or of none. */
export class ListNode {
  list: LinkedList<ListNode> | undefined;
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

  /** Appends `node`, which is in no list. */
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
