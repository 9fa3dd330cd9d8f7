import type { RootTypeNames } from '../../graphql/schemas/index.ts';
import { joinedReasons, type Source, type SourceError } from '../../sources/index.ts';
import type { Inconsistency, MissingSource } from '../generation/index.ts';
import { conflictsWith, rootTypeConflicts } from './conflicts.ts';
import type { OpenedRemotes } from './opened-remotes.ts';

export interface AssembledSources {
  /** In the order of the metadata. */
  readonly sources: readonly Source[];
  /** Sources that are left out because they conflict with others. */
  readonly conflicts: readonly Inconsistency[];
  readonly missing: readonly MissingSource[];
  /** Stored schemas that conflict with available sources, and the reasons. The next generation omits them. */
  readonly outdated: ReadonlyMap<string, string>;
}

export interface SourcesToAssemble {
  /** The names of all remote schemas, in the order of the metadata. */
  readonly names: readonly string[];
  readonly actions: Source | undefined;
  readonly opened: OpenedRemotes;
  /** The reasons why remote schemas could not be introspected. */
  readonly failures: ReadonlyMap<string, SourceError>;
  /** The names of the root types for clients. */
  readonly rootTypeNames: RootTypeNames | undefined;
}

/** Selects the sources without conflicts and lists the missing ones. */
export function assembleSources(from: SourcesToAssemble): AssembledSources {
  const { names, actions, opened, failures, rootTypeNames } = from;
  const sources: Source[] = [];
  const conflicts: Inconsistency[] = [];
  const outdated = new Map<string, string>();
  /** The reasons why remote schemas that caused no problem are not part of the graph. */
  const held = new Map<string, string>();
  for (const [source, problems] of opened.left) {
    const reason = joinedReasons(problems.map(({ message }) => message));
    if (opened.isStored(source)) held.set(source, reason);
    else conflicts.push({ source, reason, problems });
  }
  // Sources are added in the order of the metadata, so that the loser of a conflict does not depend on response times.
  // Stored schemas come last, since they may be outdated and must not displace an available service.
  const storedOf = ({ name, members = [name] }: Source) => members.filter((one) => opened.isStored(one));
  const described = [...(actions ? [actions] : []), ...opened.sources];
  const areStored = new Map(described.map((source) => [source, storedOf(source)]));
  const hasStored = (source: Source) => (areStored.get(source) ?? []).length > 0;
  for (const source of [...described.filter((one) => !hasStored(one)), ...described.filter(hasStored)]) {
    const { name, members = [name] } = source;
    const taken = rootTypeNames ? rootTypeConflicts(source, rootTypeNames) : [];
    const reason = joinedReasons([...taken, ...conflictsWith(source, sources)]);
    if (reason === '') sources.push(source);
    else if (hasStored(source)) {
      for (const one of areStored.get(source) ?? []) outdated.set(one, reason);
      for (const one of members) held.set(one, reason);
    } else conflicts.push({ source: members[0] ?? name, reason });
  }
  sources.sort((one, other) => described.indexOf(one) - described.indexOf(other));

  const missing = names.flatMap((source): readonly MissingSource[] => {
    const isOnlyStored = opened.isStored(source);
    const misfit = held.get(source);
    const isPart = opened.isPart(source) && misfit === undefined;
    if (!isOnlyStored && (isPart || opened.left.has(source))) return [];
    const failure = failures.get(source)?.message ?? (opened.get(source) ? 'not composed yet' : 'not asked yet');
    return [
      {
        source,
        reason: misfit === undefined ? failure : `${failure}; its stored schema is not used: ${misfit}`,
        schema: isPart ? 'stored' : 'unknown',
      },
    ];
  });
  return { sources, conflicts, missing, outdated };
}
