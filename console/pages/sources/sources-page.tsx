import { ApiError, callMetadataApi, type SourceInsight, type SourcesInsight } from '../../api/index.ts';
import {
  Button,
  ErrorNotice,
  PageHeader,
  ProblemList,
  ScrollRegion,
  useLoaded,
  useRefresh,
} from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { shell, sources as texts } from '../../texts/index.ts';
import { SourceDetails } from './source-details.tsx';

const REFRESH_MS = 5_000;
const MOST = 500;

/** How the services behind the gateway do. */
export function SourcesPage() {
  const { value, error, isLoading, reload } = useLoaded(
    (signal) =>
      authorized((headers) =>
        callMetadataApi<SourcesInsight>('portico_get_sources', { limit: MOST }, { headers, signal }),
      ),
    [role.value],
  );
  const isRefused = error instanceof ApiError && error.code === 'access-denied';
  useRefresh(isRefused ? undefined : reload, REFRESH_MS);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button onClick={reload}>{texts.refresh}</Button>
      </PageHeader>
      {error !== undefined && <ErrorNotice error={error} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {value && (
        <div aria-busy={isLoading}>
          <SourceTable value={value} />
          <section class="card" aria-labelledby="problems">
            <h2 id="problems">{texts.problems}</h2>
            {value.problems.items.length === 0 ? (
              <p class="dim">{texts.noProblems}</p>
            ) : (
              <ProblemList items={value.problems.items} />
            )}
          </section>
        </div>
      )}
    </>
  );
}

function SourceTable({ value: { items, total, workers } }: { readonly value: SourcesInsight }) {
  if (total === 0) return <p>{texts.none}</p>;
  return (
    <div class="card">
      <p class="dim small">
        {texts.workers(workers)}
        {items.length < total && `; ${texts.more(items.length, total)}`}
      </p>
      <ScrollRegion label={texts.table}>
        <table>
          <thead>
            <tr>
              <th>{texts.name}</th>
              <th>{texts.schema}</th>
              <th>{texts.circuit}</th>
              <th>{texts.calls}</th>
              <th>{texts.errors}</th>
              <th>{texts.latency}</th>
              <th>{texts.now}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((source) => (
              <SourceRow key={`${source.kind} ${source.name}`} source={source} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {items.map((source) => (
        <SourceDetails key={`${source.kind} ${source.name}`} source={source} />
      ))}
    </div>
  );
}

const SCHEMA_BADGES = { open: 'good', stale: 'warn', missing: 'bad', conflict: 'bad' } as const;
const CIRCUIT_BADGES = { closed: 'good', half_open: 'warn', open: 'bad' } as const;

function SourceRow({ source }: { readonly source: SourceInsight }) {
  const { name, kind, schema, circuit, calls, error_rate: errorRate, latency, in_flight: running, waiting } = source;
  return (
    <tr>
      <td>
        {name} <span class="dim small">{texts.kinds[kind]}</span>
      </td>
      <td>
        <span class={`badge ${SCHEMA_BADGES[schema]}`}>{texts.schemas[schema]}</span>
      </td>
      <td>
        <span class={`badge ${CIRCUIT_BADGES[circuit]}`}>{texts.circuits[circuit]}</span>
      </td>
      <td>{calls}</td>
      <td>{errorRate === null ? texts.noCalls : `${(errorRate * 100).toFixed(1)} %`}</td>
      <td>{latency ? `${bound(latency.p50_ms)} / ${bound(latency.p99_ms)}` : texts.noCalls}</td>
      <td>
        {running} / {waiting}
      </td>
    </tr>
  );
}

function bound(ms: number | null): string {
  return ms === null ? texts.longer : texts.atMost(ms);
}
