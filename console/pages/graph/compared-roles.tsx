import { useState } from 'preact/hooks';
import { callMetadataApi, type Page, type RoleDifference } from '../../api/index.ts';
import { LoadFailure, ScrollRegion, Select, useLoaded } from '../../parts/index.ts';
import { authorized, role as ownRole } from '../../session/index.ts';
import { shell, graph as texts } from '../../texts/index.ts';
import { OffsetPager } from './offset-pager.tsx';
import { roleOptions } from './role-options.ts';

const DIFFERENCES_PER_PAGE = 200;

/** What one role sees and another one does not, side by side. */
export function ComparedRoles({ roles }: { readonly roles: readonly string[] }) {
  const [chosen, setChosen] = useState({
    first: 'admin',
    second: roles.find((one) => one !== 'admin') ?? '*',
    offset: 0,
  });
  const { value, error, isLoading, reload } = useLoaded(
    (signal) =>
      authorized((headers) =>
        callMetadataApi<Page<RoleDifference>>(
          'portico_compare_roles',
          { ...chosen, limit: DIFFERENCES_PER_PAGE },
          { headers, signal },
        ),
      ),
    [ownRole.value, chosen],
  );
  const options = roleOptions(roles);
  return (
    <>
      <div class="toolbar">
        <Select
          label={texts.first}
          value={chosen.first}
          options={options}
          onChange={(first) => setChosen({ ...chosen, first, offset: 0 })}
        />
        <Select
          label={texts.second}
          value={chosen.second}
          options={options}
          onChange={(second) => setChosen({ ...chosen, second, offset: 0 })}
        />
      </div>
      {error !== undefined && <LoadFailure error={error} reload={reload} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {value && (
        <div aria-busy={isLoading}>
          <p role="status">{value.total === 0 ? texts.same : texts.differences(value.total)}</p>
          {value.items.length > 0 && <Differences differences={value.items} {...chosen} />}
          <OffsetPager
            offset={chosen.offset}
            pageSize={DIFFERENCES_PER_PAGE}
            nextOffset={value.next_offset}
            onChange={(offset) => setChosen({ ...chosen, offset })}
          />
        </div>
      )}
    </>
  );
}

interface DifferencesProps {
  readonly differences: readonly RoleDifference[];
  /** The role of the first column. */
  readonly first: string;
  /** The role of the second one. */
  readonly second: string;
}

function Differences({ differences, first, second }: DifferencesProps) {
  return (
    <ScrollRegion class="card wrap" label={texts.compare}>
      <table>
        <thead>
          <tr>
            <th>{texts.coordinate}</th>
            <th>{first}</th>
            <th>{second}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <tr key={difference.coordinate}>
              <td>
                <code>{difference.coordinate}</code>
              </td>
              <Seen type={difference.first} />
              <Seen type={difference.second} />
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Seen({ type }: { readonly type: string | null }) {
  return <td>{type === null ? <span class="dim">{texts.absent}</span> : <code>{type}</code>}</td>;
}
