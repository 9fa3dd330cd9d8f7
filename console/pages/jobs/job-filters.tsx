import { Link } from '../../administration/index.ts';
import { JOB_STATES } from '../../api/index.ts';
import { Field, Select } from '../../parts/index.ts';
import { goTo, parameters, path, pathWith } from '../../routing/index.ts';
import { jobView, jobsPage as texts } from '../../texts/index.ts';
import { kindName } from './job-state.tsx';

/** What jobs are picked by; the address has the values. */
const JOB_FILTERS = ['state', 'kind', 'queue', 'tenant'] as const;

type JobFilterName = (typeof JOB_FILTERS)[number];

export type PickedJobs = Readonly<Record<JobFilterName, string | undefined>>;

/** What the address picks. */
export function pickedJobs(): PickedJobs {
  const given = (name: JobFilterName) => parameters.value.get(name) || undefined;
  return { state: given('state'), kind: given('kind'), queue: given('queue'), tenant: given('tenant') };
}

const ANY_OPTION = { value: '', label: texts.filters.any };

export function JobFilters() {
  const { state = '', kind = '', queue = '', tenant = '' } = pickedJobs();
  function pick(name: JobFilterName, value: string) {
    const { after: _, ...others } = Object.fromEntries(parameters.value);
    goTo(pathWith(path.value, { ...others, [name]: value.trim() }), { replaces: true });
  }
  const kinds = [...new Set([...Object.keys(texts.kinds), kind])].filter(Boolean);
  return (
    <div class="toolbar">
      <Select
        label={texts.filters.state}
        value={state}
        options={[ANY_OPTION, ...JOB_STATES.map((name) => ({ value: name, label: texts.states[name] }))]}
        onChange={(value) => pick('state', value)}
      />
      <Select
        label={texts.filters.kind}
        value={kind}
        options={[ANY_OPTION, ...kinds.map((name) => ({ value: name, label: kindName(name) }))]}
        onChange={(value) => pick('kind', value)}
      />
      <TextFilter label={texts.filters.queue} value={queue} onPick={(value) => pick('queue', value)} />
      <TextFilter label={texts.filters.tenant} value={tenant} onPick={(value) => pick('tenant', value)} />
      {parameters.value.size > 0 && <Link to="jobs">{jobView.all}</Link>}
    </div>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onPick: (value: string) => void;
}

/** A whole name, since jobs are found by their index of names. */
function TextFilter({ label, value, onPick }: TextFilterProps) {
  return (
    <Field
      label={label}
      type="search"
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      value={value}
      onChange={(event) => onPick(event.currentTarget.value)}
    />
  );
}
