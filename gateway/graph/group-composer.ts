import { type FederationGroup, openFederationGroup, type Subgraph } from '../sources/index.ts';

/** Subgraphs that are composed to one source, and composed again when they change: one composition at a time. */
export class GroupComposer {
  readonly #publicRole: string;
  #group: FederationGroup = { source: undefined, left: new Map() };
  /** What the group was composed of. */
  #composed = keyOf([]);
  #last: Promise<unknown> = Promise.resolve();

  constructor(publicRole: string) {
    this.#publicRole = publicRole;
  }

  get group(): FederationGroup {
    return this.#group;
  }

  /** Begins with what another one has composed: the same subgraphs need not be composed again. */
  takeOver(previous: GroupComposer): void {
    this.#group = previous.#group;
    this.#composed = previous.#composed;
  }

  /**
   * Composes anew, after the compositions that were asked for before.
   *
   * @param subgraphs gives what to compose, when it is time.
   * @param accept throws to keep the group that there was.
   */
  compose(subgraphs: () => readonly Subgraph[], accept: (group: FederationGroup) => void = () => {}): Promise<void> {
    const run = this.#last.then(async () => {
      const members = subgraphs();
      const key = keyOf(members);
      const group = key === this.#composed ? this.#group : await openFederationGroup(members, this.#publicRole);
      accept(group);
      this.#group = group;
      this.#composed = key;
    });
    this.#last = run.catch(() => {});
    return run;
  }
}

function keyOf(subgraphs: readonly Subgraph[]): string {
  return JSON.stringify(subgraphs.map(({ sdl, metadata }) => [sdl, metadata]));
}
