import { useRef, useState } from 'preact/hooks';
import { ConfirmDialog, type ConfirmDialogProps, tellOutcome, useKeptFocus } from '../../administration/index.ts';
import type { Job } from '../../api/index.ts';
import { Button } from '../../parts/index.ts';
import { goTo } from '../../routing/index.ts';
import { jobActs as texts } from '../../texts/index.ts';
import { actOnJobs, type JobAct } from './job-requests.ts';

/** By their acts, in the order of the buttons. */
const JOB_ACT_DIALOGS = {
  retry: { title: texts.retryTitle, text: texts.retryText, submit: texts.retry },
  cancel: { title: texts.cancelTitle, text: texts.cancelText, submit: texts.cancel },
  purge: { title: texts.purgeTitle, text: texts.purgeText, submit: texts.purge },
} as const satisfies Record<JobAct, Pick<ConfirmDialogProps, 'title' | 'text' | 'submit'>>;

const ACT_OUTCOMES = { retry: texts.retried, cancel: texts.cancelled, purge: texts.purged } as const;

/** What can be done with a job in its state. */
function actsOf({ state, attempts }: Job): readonly JobAct[] {
  if (state === 'dead') return ['retry', 'purge'];
  if (state === 'scheduled') return attempts > 0 ? ['retry', 'cancel'] : ['cancel'];
  return ['queued', 'waiting', 'running'].includes(state) ? ['cancel'] : [];
}

/** What operators do with one job. */
export function JobActs({ job, onChange }: { readonly job: Job; readonly onChange: () => void }) {
  const [asked, setAsked] = useState<JobAct | undefined>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const kept = useKeptFocus(heading);
  const acts = actsOf(job);
  async function run(act: JobAct) {
    const changed = await actOnJobs(act, { ids: [job.id] });
    setAsked(undefined);
    if (act === 'purge' && changed > 0) goTo('jobs', { replaces: true, isDone: true });
    else onChange();
    tellOutcome(ACT_OUTCOMES[act](changed));
  }
  if (acts.length === 0 && asked === undefined) return null;
  return (
    <section class="card" aria-labelledby="acts" {...kept}>
      <h2 id="acts" tabIndex={-1} ref={heading}>
        {texts.title}
      </h2>
      <div class="row">
        {acts.map((act) => (
          <Button key={act} kind={act === 'retry' ? 'plain' : 'danger'} onClick={() => setAsked(act)}>
            {JOB_ACT_DIALOGS[act].submit}
          </Button>
        ))}
      </div>
      {asked && (
        <ConfirmDialog
          {...JOB_ACT_DIALOGS[asked]}
          {...(asked === 'purge' && { typed: job.queue })}
          onClose={() => setAsked(undefined)}
          run={() => run(asked)}
        />
      )}
    </section>
  );
}
