import type { JobState } from '../../api/index.ts';
import { jobsPage as texts } from '../../texts/index.ts';

const JOB_BADGES: Readonly<Record<JobState, string>> = {
  queued: '',
  running: '',
  scheduled: '',
  waiting: 'warn',
  dead: 'bad',
  done: 'good',
  failed: 'bad',
  expired: 'warn',
  cancelled: 'warn',
};

export function JobStateBadge({ state }: { readonly state: JobState }) {
  return <span class={`badge whole ${JOB_BADGES[state] ?? ''}`}>{texts.states[state] ?? state}</span>;
}

/** A kind in words; one that later versions have by its name. */
export function kindName(kind: string): string {
  return texts.kinds[kind] ?? kind;
}
