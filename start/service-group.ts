import { type Child, type ChildEnded, type ChildSpec, startChild } from './child.ts';
import type { Screen } from './screen.ts';

/**
 * Child processes that run together: started one by one, stopped in reverse order, all of them when one ends unexpectedly.
 *
 * Why not a process runner (concurrently, npm-run-all, pm2): a service starts here when the one that it depends on has sent
 * its port over node's IPC channel, a preloaded one gets its settings later, and the stop is ordered. Runners of commands
 * know neither readiness with a value nor an order of stops; this file, `child.ts` and `run.ts` are 230 lines for it.
 */
export class ServiceGroup {
  /** Rejects with the `ChildEnded` of the first child that ends without being asked to. */
  readonly broken: Promise<never>;
  readonly #screen: Screen;
  readonly #children: Child[] = [];
  /** Children that are being stopped, whose end is therefore expected. */
  readonly #dismissed = new WeakSet<Child>();
  #break: (why: ChildEnded) => void = () => {};
  #stopping = false;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.broken = new Promise((_resolve, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => {});
  }

  /** Starts a service and adds it to the group. @throws Stopping once the group is being stopped. */
  start<Started extends Child>(begin: (screen: Screen) => Started): Started {
    const child = this.#add(begin);
    child.ended.then((ending) => this.#dismissed.has(child) || this.#break(ending));
    return child;
  }

  /** Runs a task to its end. @throws ChildEnded if it fails. */
  async complete(spec: ChildSpec): Promise<void> {
    const child = this.#add((screen) => startChild(spec, screen));
    const ending = await child.ended;
    const place = this.#children.indexOf(child);
    if (place >= 0) this.#children.splice(place, 1);
    if (!ending.clean) throw ending;
  }

  /** Stops everything, the last started first. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (let child = this.#children.pop(); child; child = this.#children.pop()) {
      this.#dismissed.add(child);
      await child.stop();
    }
  }

  #add<Started extends Child>(begin: (screen: Screen) => Started): Started {
    if (this.#stopping) throw new Stopping();
    const child = begin(this.#screen);
    this.#children.push(child);
    return child;
  }
}

/** Thrown by a start of a child while the others are already being stopped. */
export class Stopping extends Error {
  constructor() {
    super('stopping');
    this.name = 'Stopping';
  }
}
