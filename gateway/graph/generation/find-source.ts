import type { Source } from '../../sources/index.ts';

/**
 * The source of a remote schema: its own or the one it was composed into. Undefined if there is none.
 *
 * @param remote undefined for the actions.
 */
export function findSource(sources: readonly Source[], remote: string | undefined): Source | undefined {
  return sources.find(({ name, kind, members }) => {
    if (remote === undefined || kind === 'actions') return remote === undefined && kind === 'actions';
    return name === remote || (members?.includes(remote) ?? false);
  });
}
