import type { Durations } from '../../../platform/index.ts';
import { type OpenedRemote, type Source, SourceError, type SourceProblem, type Subgraph } from '../../sources/index.ts';
import { GroupComposer } from './group-composer.ts';

/** The sources of a remote schema before and after a change. */
export interface Replaced {
  readonly then: Source | undefined;
  readonly now: Source | undefined;
}

/** The remote schemas whose schema is known, and the source that the subgraphs among them were composed into. */
export class OpenedRemotes {
  readonly #names: readonly string[];
  readonly #opened = new Map<string, OpenedRemote>();
  readonly #composer: GroupComposer;

  /** @param names of all remote schemas, in the order of the metadata. */
  constructor(names: readonly string[], publicRole: string, compositions: Durations | undefined) {
    this.#names = names;
    this.#composer = new GroupComposer(publicRole, compositions);
  }

  get(name: string): OpenedRemote | undefined {
    return this.#opened.get(name);
  }

  set(name: string, opened: OpenedRemote): void {
    this.#opened.set(name, opened);
  }

  delete(name: string): void {
    this.#opened.delete(name);
  }

  /** Subgraphs that do not compose with the others, and why. */
  get left(): ReadonlyMap<string, readonly SourceProblem[]> {
    return this.#composer.left;
  }

  /** Whether a remote schema is known by its stored schema only. */
  isStored(name: string): boolean {
    return this.#opened.get(name)?.availability.isAvailable === false;
  }

  /** Whether a remote schema is a source, or a part of one. */
  isPart(name: string): boolean {
    if (this.#opened.get(name)?.kind !== 'subgraph') return this.#opened.has(name);
    return this.#composer.group.source?.members?.includes(name) ?? false;
  }

  /** In the order of the metadata. Subgraphs that are composed stand together where the first of them stands. */
  get sources(): readonly Source[] {
    const { source: group } = this.#composer.group;
    return this.#names.flatMap((name) => {
      const opened = this.#opened.get(name);
      if (opened?.kind === 'source') return [opened.source];
      return group?.members?.[0] === name ? [group] : [];
    });
  }

  /** Reuses a previous composition, so that the same subgraphs are not composed again. */
  reuse(previous: OpenedRemotes): void {
    this.#composer.reuse(previous.#composer);
  }

  /** Whether subgraphs are being composed, or wait to be. */
  get isComposing(): boolean {
    return this.#composer.isComposing;
  }

  /** Composes the subgraphs that there are now. */
  compose(): Promise<void> {
    return this.#composer.compose(() => this.#subgraphs());
  }

  /**
   * Replaces a remote schema by its changed version.
   *
   * @param conflicts those that a source would have with others in place of what it was.
   * @throws SourceError when it conflicts with the others; then the previous version stays.
   */
  async replace(
    name: string,
    before: OpenedRemote,
    opened: OpenedRemote,
    conflicts: (then: Source, now: Source) => readonly string[],
  ): Promise<Replaced> {
    const { group } = this.#composer;
    const then = before.kind === 'source' ? before.source : group.source;
    let now = opened.kind === 'source' ? opened.source : undefined;
    const accept = () => {
      const found = then && now ? conflicts(then, now) : [];
      if (found.length > 0) throw new SourceError(found);
      this.#opened.set(name, opened);
    };
    if (before.kind === 'source' && opened.kind === 'source') accept();
    else
      await this.#composer.compose(
        () => this.#subgraphs(new Map([[name, opened]])),
        ({ source, left }) => {
          const problems = [...left].flatMap(([one, reasons]) => (group.left.has(one) ? [] : reasons));
          if (problems.length > 0) throw new SourceError(problems);
          now ??= source;
          accept();
        },
      );
    return { then, now };
  }

  #subgraphs(instead: ReadonlyMap<string, OpenedRemote> = new Map()): readonly Subgraph[] {
    return this.#names.flatMap((name) => {
      const opened = instead.get(name) ?? this.#opened.get(name);
      return opened?.kind === 'subgraph' ? [opened.subgraph] : [];
    });
  }
}
