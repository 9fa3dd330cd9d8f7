import { useState } from 'preact/hooks';
import { ConfirmDialog, type ConfirmDialogProps, tellOutcome } from '../../administration/index.ts';
import { Button } from '../../parts/index.ts';
import { jobActs as texts } from '../../texts/index.ts';
import { actOnJobs, type JobAct } from './job-requests.ts';

type QueueActDialog = Omit<ConfirmDialogProps, 'run' | 'onClose'> & {
  readonly act: JobAct;
  readonly done: (count: number) => string;
};

interface QueueActsProps {
  readonly kind: string;
  readonly queue: string;
  /** Whose jobs alone; undefined for those of all tenants. */
  readonly tenant: string | undefined;
  readonly onChange: () => void;
}

/** What operators do with all jobs of a queue. What cannot be undone is confirmed by typing its name. */
export function QueueActs({ kind, queue, tenant, onChange }: QueueActsProps) {
  const [asked, setAsked] = useState<QueueActDialog | undefined>(undefined);
  const retry: QueueActDialog = {
    act: 'retry',
    title: texts.retryAllTitle(queue, tenant),
    text: texts.retryAllText,
    submit: texts.retryAll,
    done: texts.retried,
  };
  const cancel: QueueActDialog = {
    act: 'cancel',
    title: texts.cancelAllTitle(queue, tenant),
    text: texts.cancelAllText,
    submit: texts.cancelAll,
    typed: queue,
    done: texts.cancelled,
  };
  const purge: QueueActDialog = {
    act: 'purge',
    title: texts.purgeAllTitle(queue, tenant),
    text: texts.purgeAllText,
    submit: texts.purgeAll,
    typed: queue,
    done: texts.purged,
  };
  return (
    <section class="card" aria-labelledby="queue-acts">
      <h2 id="queue-acts">{texts.titleOf(queue, tenant)}</h2>
      <div class="row">
        <Button onClick={() => setAsked(retry)}>{texts.retryAll}</Button>
        <Button kind="danger" onClick={() => setAsked(cancel)}>
          {texts.cancelAll}
        </Button>
        <Button kind="danger" onClick={() => setAsked(purge)}>
          {texts.purgeAll}
        </Button>
      </div>
      {asked && (
        <ConfirmDialog
          {...asked}
          onClose={() => setAsked(undefined)}
          run={async () => {
            const changed = await actOnJobs(asked.act, { kind, queue, tenant });
            setAsked(undefined);
            tellOutcome(asked.done(changed));
            onChange();
          }}
        />
      )}
    </section>
  );
}
