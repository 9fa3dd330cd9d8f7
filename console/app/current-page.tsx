import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Notice } from '../parts/index.ts';
import { followLink, hrefOf, path } from '../routing/index.ts';
import { allowedRoles, kindOfSession, role } from '../session/index.ts';
import { shell } from '../texts/index.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { type ConsolePage, isShown, PAGES } from './pages.ts';

/** The page at the current address. */
export function pageAt(address: string): ConsolePage | undefined {
  if (address === '') return PAGES[0];
  return PAGES.find((page) => address === page.path || address.startsWith(`${page.path}/`));
}

export function CurrentPage() {
  const page = pageAt(path.value);
  useEffect(() => {
    document.title = shell.title(page?.title ?? shell.notFound.title);
  }, [page]);
  return page ? <LoadedPage key={page.path} page={page} /> : <NotFound />;
}

function LoadedPage({ page }: { readonly page: ConsolePage }) {
  const [loaded, setLoaded] = useState<{ content?: ComponentType; error?: unknown }>({});
  const place = useRef<HTMLDivElement>(null);
  function load() {
    page.load().then(
      ({ default: content }) => setLoaded({ content }),
      (error) => setLoaded({ error }),
    );
  }
  useEffect(load, [page]);
  const { content: Content, error } = loaded;
  useEffect(() => {
    // A page that is opened by a link is read from its heading on.
    if (Content && !isFirstPage) place.current?.querySelector<HTMLElement>('h1')?.focus();
    if (Content) isFirstPage = false;
  }, [Content]);
  if (error !== undefined) return <NotLoaded onRetry={load} />;
  return (
    <div class="page" ref={place} aria-busy={!Content}>
      {page.roles && !isShown(page, role.value, allowedRoles.value ?? []) && (
        <Notice kind="info">{shell.neededRole(page.roles(), role.value)}</Notice>
      )}
      <ErrorBoundary>{Content ? <Content /> : <p class="loading dim">{shell.loading}</p>}</ErrorBoundary>
    </div>
  );
}

/** A later build of the console has other files, or the gateway cannot be reached. */
function NotLoaded({ onRetry }: { readonly onRetry: () => void }) {
  const staysLoggedIn = kindOfSession.value === 'login' && isSecureContext;
  return (
    <div class="page">
      <h1>{shell.notLoaded.title}</h1>
      <p>{shell.notLoaded.text(staysLoggedIn)}</p>
      <div class="row">
        <Button onClick={onRetry}>{shell.retry}</Button>
        <Button onClick={() => location.reload()}>{shell.notLoaded.reload}</Button>
      </div>
    </div>
  );
}

let isFirstPage = true;

function NotFound() {
  const [first] = PAGES;
  return (
    <div class="page">
      <h1>{shell.notFound.title}</h1>
      <p>{shell.notFound.text}</p>
      {first && (
        <a href={hrefOf(first.path)} onClick={(event) => followLink(event, first.path)}>
          {shell.notFound.back}
        </a>
      )}
    </div>
  );
}
