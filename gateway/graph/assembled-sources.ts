import type { Source, SourceError } from '../sources/index.ts';
import { conflictsWith } from './conflicts.ts';
import type { Inconsistency, MissingSource } from './generation.ts';
import type { OpenedRemotes } from './opened-remotes.ts';

export interface AssembledSources {
  /** In the order of the metadata. */
  readonly sources: readonly Source[];
  /** Sources that are left out because of others. */
  readonly conflicts: readonly Inconsistency[];
  readonly missing: readonly MissingSource[];
}

export interface SourcesToAssemble {
  /** Of all remote schemas, in the order of the metadata. */
  readonly names: readonly string[];
  readonly actions: Source | undefined;
  readonly opened: OpenedRemotes;
  /** Why remote schemas have not told their types. */
  readonly failures: ReadonlyMap<string, SourceError>;
}

/** The sources that go together, and those that are described and are not there. */
export function assembleSources({ names, actions, opened, failures }: SourcesToAssemble): AssembledSources {
  const sources: Source[] = [];
  const conflicts: Inconsistency[] = [];
  /** Why stored schemas are of no use. */
  const unusable = new Map<string, string>();
  for (const [source, problems] of opened.left) {
    const reason = problems.map(({ message }) => message).join('; ');
    if (opened.isStored(source)) unusable.set(source, reason);
    else conflicts.push({ source, reason, problems });
  }
  // In the order of the metadata, so that who loses a conflict does not depend on who answered first. What is only
  // stored may be out of date, and takes nothing away from a service that is there.
  const isStored = ({ name, members = [name] }: Source) => members.every((one) => opened.isStored(one));
  const described = [...(actions ? [actions] : []), ...opened.sources];
  for (const source of [...described.filter((one) => !isStored(one)), ...described.filter(isStored)]) {
    const { name, members = [name] } = source;
    const reason = conflictsWith(source, sources).join('; ');
    if (reason === '') sources.push(source);
    else if (isStored(source)) for (const one of members) unusable.set(one, reason);
    else conflicts.push({ source: members[0] ?? name, reason });
  }
  sources.sort((one, other) => described.indexOf(one) - described.indexOf(other));

  const missing = names.flatMap((source): readonly MissingSource[] => {
    const isOnlyStored = opened.isStored(source);
    if (!isOnlyStored && (opened.isPart(source) || opened.left.has(source))) return [];
    const failure = failures.get(source)?.message ?? (opened.get(source) ? 'not composed yet' : 'not asked yet');
    const misfit = unusable.get(source);
    const isKnown = isOnlyStored && opened.isPart(source) && misfit === undefined;
    return [
      {
        source,
        reason: misfit === undefined ? failure : `${failure}; its stored schema is not used: ${misfit}`,
        schema: isKnown ? 'stored' : 'unknown',
      },
    ];
  });
  return { sources, conflicts, missing };
}
