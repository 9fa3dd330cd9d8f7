import { assetUrl } from '../../../platform/index.ts';
import { toLoggedError } from '../../errors.ts';
import { createPage, type HttpExchange, readPageFile, sendFlatError, sharedPageFile } from '../http/index.ts';
import type { DemoAccount } from './demo-accounts.ts';
import { type Html, html } from './html.ts';
import { offerOf, type VisibleApi } from './offer.ts';
import { accountsSection, callSection, type Health, healthSection, offerSection } from './sections.ts';
import { type LoginBody, snippets } from './snippets.ts';

/** The page's addresses. */
export const HOME_PATHS = {
  page: '/',
  style: '/portico-home.css',
  script: '/portico-home.js',
  theme: '/portico-theme.js',
  icon: '/portico.svg',
} as const;

const HOME_FILES: ReadonlySet<string> = new Set(Object.values(HOME_PATHS));

/** Whether this page has a file at the path. */
export function isHomePath(path: string): boolean {
  return HOME_FILES.has(path);
}

export interface HomePageOptions {
  /** Accounts for logging in, which only demo data has. */
  readonly accounts: readonly DemoAccount[];
  /** Whether the page links to the console. */
  readonly hasConsole: boolean;
  /** The role of callers without a token. */
  readonly publicRole: string;
  /** What introspection and the OpenAPI document show a role. The same objects are returned until the graph changes. */
  readonly visibleTo: (role: string) => VisibleApi;
  readonly health: () => Health;
}

/**
 * Serves `/`: a page for people that shows what the gateway offers, how it is, and how to call it. The page is the same for every
 * caller and contains nothing from the request. It shows what callers without a token may introspect. With demo accounts, whose
 * passwords the page shows, it shows what the first of them may introspect.
 */
export function homePage(options: HomePageOptions): (exchange: HttpExchange) => void {
  const asset = (name: string) => readPageFile(assetUrl(`gateway/transports/home/${name}`));
  const { type, text: template } = asset('home.html');
  const contentOf = rememberedContent(options);
  const send = createPage({
    files: new Map([
      [
        HOME_PATHS.page,
        {
          type,
          get text() {
            return filled(template, { ...contentOf(), health: healthSection(options.health()) });
          },
        },
      ],
      [HOME_PATHS.style, asset('home.css')],
      [HOME_PATHS.script, asset('home.js')],
      [HOME_PATHS.theme, sharedPageFile('theme.js')],
      [HOME_PATHS.icon, sharedPageFile('mark.svg')],
    ]),
    hasScripts: true,
  });
  return (exchange) => {
    try {
      send(exchange, exchange.path);
    } catch (thrown) {
      sendFlatError(exchange, toLoggedError(thrown, exchange));
    }
  };
}

type Sections = Readonly<Record<string, Html | undefined>>;

/** Puts the sections in the places that the template names by comments. */
function filled(template: string, sections: Sections): string {
  return template.replace(/<!-- (\w+) -->/g, (_, name: string) => sections[name]?.text ?? '');
}

/** The parts of the page that change only with the graph. */
function rememberedContent({ accounts, hasConsole, publicRole, visibleTo }: HomePageOptions): () => Sections {
  const [account] = accounts;
  const demoRole = account?.roles[0];
  let remembered: { readonly of: readonly unknown[]; readonly sections: Sections } | undefined;
  return () => {
    const publicApi = visibleTo(publicRole);
    const api = demoRole === undefined ? publicApi : visibleTo(demoRole);
    const of = [publicApi.schema, publicApi.paths, api.schema, api.paths];
    if (remembered?.of.every((part, at) => part === of[at])) return remembered.sections;
    const offer = offerOf(api, publicApi);
    const login = publicApi.paths[LOGIN_PATH]?.post === undefined ? undefined : loginBody(account);
    const sections = {
      actions: actions(hasConsole),
      offer: offerSection(offer, demoRole, hasConsole),
      call: callSection(snippets(offer.exampleQuery, login)),
      accounts: accountsSection(accounts),
    };
    remembered = { of, sections };
    return sections;
  };
}

const LOGIN_PATH = '/api/rest/auth_user_login';

function loginBody(account: DemoAccount | undefined): LoginBody {
  const { username = 'your user', password = 'your password', tenant_id = 1 } = account ?? {};
  return { username, password, tenant_id };
}

function actions(hasConsole: boolean): Html {
  const rest = html`<a class="button${hasConsole ? '' : ' primary'}" href="api/swagger">Browse REST endpoints</a>`;
  return hasConsole ? html`<a class="button primary" href="console/">Open the console</a>${rest}` : rest;
}

/**
 * Returns whether a person opened the GraphQL address in a browser: a GET without an operation from a client that asks for HTML
 * and does not name a GraphQL media type. A client that accepts any type is not a browser.
 */
export function isBrowserVisit({ request, search }: Pick<HttpExchange, 'request' | 'search'>): boolean {
  if (request.method !== 'GET' || search !== '') return false;
  const { accept = '' } = request.headers;
  return (
    accept.length <= MAX_BROWSER_ACCEPT &&
    /(?:^|,)\s*text\/html\s*(?:,|$)/i.test(accept) &&
    !/json|event-stream|multipart/i.test(accept)
  );
}

/** Longer than any browser's header. */
const MAX_BROWSER_ACCEPT = 2_048;
