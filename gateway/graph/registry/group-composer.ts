import type { Durations } from '../../../platform/index.ts';
import { type FederationGroup, openFederationGroup, type Subgraph } from '../../sources/index.ts';

/** Composes subgraphs into one source, and recomposes them when they change, one composition at a time. */
export class GroupComposer {
  readonly #publicRole: string;
  readonly #durations: Durations | undefined;
  #group: FederationGroup = { source: undefined, left: new Map() };
  /** The key of the composed subgraphs. */
  #composed = compositionKey([]);
  /** Subgraphs that were left out while only their stored schemas were known. */
  #leftUnavailable: readonly Subgraph[] = [];
  #pending = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param durations measures compositions. */
  constructor(publicRole: string, durations: Durations | undefined) {
    this.#publicRole = publicRole;
    this.#durations = durations;
  }

  get group(): FederationGroup {
    return this.#group;
  }

  /** Subgraphs that cannot be composed with the others, except those that have become available since. */
  get left(): FederationGroup['left'] {
    const changed = this.#leftUnavailable.filter(({ availability }) => availability.isAvailable);
    if (changed.length === 0) return this.#group.left;
    return new Map([...this.#group.left].filter(([left]) => !changed.some(({ name }) => name === left)));
  }

  /** Whether compositions are queued or running. */
  get isComposing(): boolean {
    return this.#pending > 0;
  }

  /** Reuses a previous composition, so that the same subgraphs are not composed again. */
  reuse(previous: GroupComposer): void {
    this.#group = previous.#group;
    this.#composed = previous.#composed;
    this.#leftUnavailable = previous.#leftUnavailable;
  }

  /**
   * Recomposes after the queued compositions.
   *
   * @param subgraphs returns the subgraphs when the composition starts.
   * @param accept throws to keep the current group.
   */
  compose(subgraphs: () => readonly Subgraph[], accept: (group: FederationGroup) => void = () => {}): Promise<void> {
    this.#pending++;
    const run = this.#last.then(async () => {
      const current = subgraphs();
      // The availability is copied, since a subgraph may become available during composition.
      const members = current.map((one) => ({ ...one, availability: { ...one.availability } }));
      const key = this.#keyOf(members);
      const group = key === this.#composed ? this.#group : await this.#compose(members);
      accept(group);
      this.#group = group;
      this.#composed = this.#keyOf(members);
      this.#leftUnavailable = current.filter(
        ({ name }, index) => group.left.has(name) && members[index]?.availability.isAvailable === false,
      );
    });
    this.#last = run
      .catch(() => {})
      .finally(() => {
        this.#pending--;
      });
    return run;
  }

  async #compose(members: readonly Subgraph[]): Promise<FederationGroup> {
    const startedAt = performance.now();
    try {
      return await openFederationGroup(members, this.#publicRole);
    } finally {
      if (members.length > 0) this.#durations?.add(performance.now() - startedAt);
    }
  }

  /**
   * The key of a composition. If subgraphs are left out, the choice depends on their availability, so the key contains
   * it.
   */
  #keyOf(members: readonly Subgraph[]): string {
    if (this.#group.left.size === 0) return compositionKey(members);
    const isAvailable = members.map(({ availability }) => availability.isAvailable);
    return `${JSON.stringify(isAvailable)} ${compositionKey(members)}`;
  }
}

function compositionKey(subgraphs: readonly Subgraph[]): string {
  return JSON.stringify(subgraphs.map(({ sdl, metadata }) => [sdl, metadata]));
}
