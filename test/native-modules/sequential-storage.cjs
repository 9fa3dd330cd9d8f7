// In place of the `AsyncLocalStorage` in which jest-circus keeps the test or hook that runs. From the first use of one on, Node
// does something for it at each promise, in every suite that the worker runs afterwards, and jest-circus is loaded anew, with
// another one, for each suite: an `await` took a hundred times as long in the hundredth suite of a worker. Tests of a suite
// run one after the other (none is `test.concurrent`), so a variable does.
class SequentialStorage {
  #current;

  getStore() {
    return this.#current;
  }

  /** @param {() => Promise<unknown>} work */
  async run(store, work) {
    const outer = this.#current;
    this.#current = store;
    try {
      return await work();
    } finally {
      this.#current = outer;
    }
  }
}

module.exports = { SequentialStorage };
