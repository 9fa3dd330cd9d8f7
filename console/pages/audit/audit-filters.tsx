import { Field, Select } from '../../parts/index.ts';
import { goTo, parameters, path, pathWith } from '../../routing/index.ts';
import { audit as texts } from '../../texts/index.ts';
import { EVENTS } from './events.ts';

/** What entries are picked by; the address has the values. */
export const FILTERS = ['event', 'outcome', 'user_id', 'since', 'until'] as const;

type FilterName = (typeof FILTERS)[number];

const ANY_OUTCOME = { value: '', label: texts.any };

export function AuditFilters() {
  const givenFor = (name: FilterName) => parameters.value.get(name) ?? '';
  function set(name: FilterName, value: string) {
    const { after: _, ...others } = Object.fromEntries(parameters.value);
    goTo(pathWith(path.value, { ...others, [name]: value.trim() }), { replaces: true });
  }
  return (
    <div class="toolbar">
      <Select
        label={texts.event}
        value={givenFor('event')}
        options={[ANY_OUTCOME, ...EVENTS.map((name) => ({ value: name, label: name }))]}
        onChange={(value) => set('event', value)}
      />
      <Select
        label={texts.outcome}
        value={givenFor('outcome')}
        options={[ANY_OUTCOME, ...Object.entries(texts.outcomes).map(([value, label]) => ({ value, label }))]}
        onChange={(value) => set('outcome', value)}
      />
      <Field
        label={texts.userId}
        type="search"
        autocomplete="off"
        spellcheck={false}
        value={givenFor('user_id')}
        onChange={(event) => set('user_id', event.currentTarget.value)}
      />
      <Field
        label={texts.since}
        type="date"
        value={givenFor('since')}
        onChange={(event) => set('since', event.currentTarget.value)}
      />
      <Field
        label={texts.until}
        type="date"
        value={givenFor('until')}
        onChange={(event) => set('until', event.currentTarget.value)}
      />
    </div>
  );
}
