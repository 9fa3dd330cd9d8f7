import { useEffect, useState } from 'preact/hooks';
import { callMetadataApi, type Page, type SourcesInsight, type TypeInsight } from '../../api/index.ts';
import { Field, LoadFailure, Select, useLoaded, useSettled } from '../../parts/index.ts';
import { authorized, role as ownRole } from '../../session/index.ts';
import { shell, graph as texts } from '../../texts/index.ts';
import { OffsetPager } from './offset-pager.tsx';
import { roleOptions } from './role-options.ts';

const TYPES_PER_PAGE = 50;
const MOST_SOURCES = 500;

/** The types of one role's graph, with the sources of their fields. */
export function GraphBySource({ roles }: { readonly roles: readonly string[] }) {
  const [chosen, setChosen] = useState({ role: 'admin', source: '', search: '', offset: 0 });
  const choose = (changed: Partial<typeof chosen>) => setChosen((last) => ({ ...last, offset: 0, ...changed }));
  const [typed, setTyped] = useState('');
  const search = useSettled(typed);
  useEffect(() => {
    if (search !== chosen.search) choose({ search });
  }, [search]);
  const sources = useLoaded(
    (signal) =>
      authorized((headers) =>
        callMetadataApi<SourcesInsight>('portico_get_sources', { limit: MOST_SOURCES }, { headers, signal }),
      ),
    [ownRole.value],
  );
  const { value, error, isLoading, reload } = useLoaded(
    (signal) =>
      authorized((headers) =>
        callMetadataApi<Page<TypeInsight>>(
          'portico_get_graph',
          {
            role: chosen.role,
            limit: TYPES_PER_PAGE,
            offset: chosen.offset,
            ...(chosen.source !== '' && { source: chosen.source }),
            ...(chosen.search !== '' && { search: chosen.search }),
          },
          { headers, signal },
        ),
      ),
    [ownRole.value, chosen],
  );
  const names = (sources.value?.items ?? []).filter(({ kind }) => kind !== 'action').map(({ name }) => name);
  const options = [
    { value: '', label: texts.anySource },
    ...[...names, 'actions'].map((name) => ({ value: name, label: name })),
  ];
  return (
    <>
      <div class="toolbar">
        <Select
          label={texts.role}
          value={chosen.role}
          options={roleOptions(roles)}
          onChange={(role) => choose({ role })}
        />
        <Select
          label={texts.source}
          value={chosen.source}
          options={options}
          onChange={(source) => choose({ source })}
        />
        <Field
          label={texts.search}
          type="search"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      {error !== undefined && <LoadFailure error={error} reload={reload} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {value && (
        <div aria-busy={isLoading}>
          <p role="status">{value.total === 0 ? texts.none : texts.types(value.total)}</p>
          {value.items.map((type) => (
            <TypeOfGraph key={type.name} type={type} />
          ))}
          <OffsetPager
            offset={chosen.offset}
            pageSize={TYPES_PER_PAGE}
            nextOffset={value.next_offset}
            onChange={(offset) => choose({ offset })}
          />
        </div>
      )}
    </>
  );
}

function TypeOfGraph({ type }: { readonly type: TypeInsight }) {
  const { name, kind, description, sources, joins, fields } = type;
  return (
    <details class="type card">
      <summary>
        <strong>{name}</strong> <span class="dim small">{kind}</span> <Badges names={sources} />
      </summary>
      {description !== null && <p class="dim">{description}</p>}
      {joins.map(({ source, key }) => (
        <p key={`${source} ${key}`} class="small">
          <span class="badge">{source}</span> {texts.joined(key)}
        </p>
      ))}
      <table>
        <tbody>
          {fields.items.map((field) => (
            <tr key={field.name}>
              <td>
                <code>{field.name}</code>
              </td>
              <td>
                <code class="dim">{field.type}</code>
              </td>
              <td>
                <Badges names={field.sources} />
                {field.conditional && <span class="dim small"> {texts.conditional}</span>}
                {field.relationship && (
                  <span class="dim small">
                    {' '}
                    {texts.relationship(field.relationship.target, field.relationship.fields.join(', '))}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {fields.omitted > 0 && <p class="dim">{texts.omitted(fields.omitted)}</p>}
    </details>
  );
}

function Badges({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <span key={name} class="badge">
          {name}
        </span>
      ))}
    </>
  );
}
