import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { readDocument } from '../../api/index.ts';
import { Button, LoadFailure, PageHeader, saveFile, useLoaded } from '../../parts/index.ts';
import { authorized, role } from '../../session/index.ts';
import { rest, shell } from '../../texts/index.ts';
import { endpointsOf, type OpenApi } from './openapi.ts';
import { AnyAddress, TryOut } from './try-out.tsx';

const OTHER_ENDPOINT = 'any';

/** The REST endpoints of the caller's role, to try. */
export function RestPage() {
  const { value, error, reload } = useLoaded(
    (signal) => authorized((headers) => readDocument<OpenApi>('api/swagger/json', { headers, signal })),
    [role.value],
  );
  const [chosen, setChosen] = useState('');
  const [sought, setSought] = useState('');
  const endpoints = value ? endpointsOf(value) : [];
  const listed = endpoints.filter(({ id }) => id.toLowerCase().includes(sought.trim().toLowerCase()));
  const endpoint = endpoints.find(({ id }) => id === chosen) ?? (chosen === OTHER_ENDPOINT ? undefined : endpoints[0]);
  return (
    <>
      <PageHeader title={rest.title} lead={rest.lead}>
        <Button
          disabled={!value}
          onClick={() => saveFile('openapi.json', JSON.stringify(value, undefined, 2), 'application/json')}
        >
          {rest.downloads}
        </Button>
      </PageHeader>
      {error !== undefined && <LoadFailure error={error} reload={reload} />}
      {!value && error === undefined && <p class="loading dim">{shell.loading}</p>}
      {(value || error !== undefined) && (
        <div class="rest">
          <nav class="card" aria-label={rest.endpoints}>
            {endpoints.length === 0 && <p class="dim">{rest.none}</p>}
            {endpoints.length > 0 && (
              <input
                type="search"
                class="grow"
                aria-label={rest.search}
                placeholder={rest.search}
                value={sought}
                onInput={(event) => setSought(event.currentTarget.value)}
              />
            )}
            {endpoints.length > 0 && listed.length === 0 && <p class="dim">{rest.nothing}</p>}
            <ul class="list">
              {listed.map(({ id, method, path }) => (
                <li key={id}>
                  <button
                    type="button"
                    class="link endpoint"
                    aria-current={id === endpoint?.id ? 'true' : undefined}
                    onClick={() => setChosen(id)}
                  >
                    <span class="method">{method}</span> <span>{withBreaks(path.replace(/^\/api\/rest\//, ''))}</span>
                  </button>
                </li>
              ))}
              <li>
                <button
                  type="button"
                  class="link endpoint"
                  aria-current={endpoint ? undefined : 'true'}
                  onClick={() => setChosen(OTHER_ENDPOINT)}
                >
                  {rest.any.title}
                </button>
              </li>
            </ul>
          </nav>
          <section class="card" aria-label={endpoint?.path ?? rest.any.title}>
            <h2>
              {endpoint ? (
                <>
                  <span class="method">{endpoint.method}</span> <code>{endpoint.path}</code>
                </>
              ) : (
                rest.any.title
              )}
            </h2>
            {endpoint ? <TryOut key={endpoint.id} endpoint={endpoint} /> : <AnyAddress />}
          </section>
        </div>
      )}
    </>
  );
}

/** A long name is broken between its words. */
function withBreaks(name: string): ComponentChildren {
  return name.split(/(?<=[_/])/).map((word, at) => (
    <Fragment key={`${at} ${word}`}>
      {at > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}
