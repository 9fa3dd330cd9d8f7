import type { Durations } from '../../../platform/index.ts';
import { type OpenedRemote, type Source, SourceError, type SourceProblem, type Subgraph } from '../../sources/index.ts';
import { GroupComposer } from './group-composer.ts';

/** The sources of a remote schema before and after a change. */
export interface Replaced {
  readonly then: Source | undefined;
  readonly now: Source | undefined;
}

/** The remote schemas whose schema is known, and the source that their subgraphs are composed into. */
export class OpenedRemotes {
  readonly #names: readonly string[];
  readonly #opened = new Map<string, OpenedRemote>();
  readonly #composer: GroupComposer;

  /** @param names the names of all remote schemas, in the order of the metadata. */
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

  /** Subgraphs that cannot be composed with the others, and the reasons. */
  get left(): ReadonlyMap<string, readonly SourceProblem[]> {
    return this.#composer.left;
  }

  /** Whether only the stored schema of a remote schema is known. */
  isStored(name: string): boolean {
    return this.#opened.get(name)?.availability.isAvailable === false;
  }

  /** Whether a remote schema is a source or part of one. */
  isPart(name: string): boolean {
    if (this.#opened.get(name)?.kind !== 'subgraph') return this.#opened.has(name);
    return this.#composer.group.source?.members?.includes(name) ?? false;
  }

  /** The sources in the order of the metadata. Composed subgraphs take the position of the first of them. */
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

  /** Whether compositions are queued or running. */
  get isComposing(): boolean {
    return this.#composer.isComposing;
  }

  /** Composes the current subgraphs. */
  compose(): Promise<void> {
    return this.#composer.compose(() => this.#subgraphs());
  }

  /**
   * Replaces a remote schema with its changed version.
   *
   * @param conflicts returns the conflicts that the new source would have with other sources.
   * @throws SourceError if there are conflicts. The previous version then stays in use.
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
