import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_OPERATOR } from '../auth-service/cli/demo-operator.ts';
import { addressUrl } from '../platform/index.ts';
import { type PreloadedChild, preloadChild, startChild } from './child.ts';
import { PACKAGE_DIR, type StartSettings } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import { assertionKeyFor, developmentSecretsFor, revocationSecretsFor } from './development-secrets.ts';
import { type EmbeddedDatabase, embeddedDatabaseIn } from './embedded-database/index.ts';
import { checkPorts } from './ports.ts';
import { type Examples, readyText } from './ready-text.ts';
import { type RestartableChild, startRestartable } from './restartable.ts';
import type { Screen } from './screen.ts';
import type { ServiceGroup } from './service-group.ts';
import * as services from './services.ts';
import { compilerProcess, restartOnChange } from './watch.ts';

export interface StartServicesOptions {
  readonly names: ReadonlySet<services.ServiceName>;
  /** Keeps compiling, and restarts each service when its code has changed. */
  readonly watch: boolean;
  readonly settings: StartSettings;
  /** Resolves once the auth service is compiled completely; the others are when the launcher runs. */
  readonly compiled: Promise<void>;
}

/**
 * Starts services in `group`, each as soon as its dependencies are ready, and reports the progress. While the database
 * opens, which takes longest, the services already load their code.
 */
export async function startServices(options: StartServicesOptions, group: ServiceGroup, screen: Screen): Promise<void> {
  const { names, watch, settings, compiled } = options;
  const restartable: RestartableChild[] = [];

  function start(spec: services.ServiceSpec) {
    if (!watch) return group.start((shown) => startChild(spec, shown));
    const child = group.start((shown) => startRestartable(spec, shown));
    restartable.push(child);
    return child;
  }

  function preload(name: services.ServiceName): PreloadedChild | undefined {
    if (watch || !names.has(name)) return undefined;
    return group.start((shown) => preloadChild(services.preloadable(name, settings), shown));
  }

  async function serve(spec: services.ServiceSpec, preloaded?: PreloadedChild): Promise<string> {
    preloaded?.begin(spec.environment);
    const port = await (preloaded ?? start(spec)).ready;
    const url = addressUrl(spec.host, port);
    screen.say(`${spec.name} is ready: ${url}`);
    return url;
  }

  if (names.has('auth-service') || names.has('orders') || !settings.production) prepareDataDir(settings.dataDir);
  // Where another `npm start` uses the data directory, its database says so, and which.
  if (!(names.has('auth-service') && (await isDatabaseRunning(settings)))) await checkPorts(settings, names);
  const revocationSecrets = revocationSecretsFor(settings);

  const database = names.has('auth-service') ? beginDatabase(settings, group, screen) : undefined;
  // Awaited below; until then its rejection is not unhandled.
  const ordersUrl = names.has('orders') ? serve(services.ordersSpec(settings)) : Promise.resolve(settings.ordersUrl);
  ordersUrl.catch(() => {});
  if (names.has('auth-service')) await compiled;
  const preloadedAuth = preload('auth-service');
  const preloadedGateway = preload('gateway');

  let authServiceUrl = settings.authServiceUrl;
  if (names.has('auth-service')) {
    await database?.ready;
    const secrets = { ...developmentSecretsFor(settings), ...revocationSecrets.authService };
    const auth = services.authServiceSpec(settings, database?.url, secrets);
    authServiceUrl = await serve(auth, preloadedAuth);
    // Before the gateway: users may log in as soon as that is ready.
    if (database && !database.hasDemoData()) await addDemoAccounts(auth, database, group, screen);
  }

  const gatewayUrl = names.has('gateway')
    ? await serve(
        services.gatewaySpec(
          settings,
          authServiceUrl,
          await ordersUrl,
          { assertionKey: assertionKeyFor(settings), revocations: revocationSecrets.gateway },
          database?.hasDemoData(),
          database?.url,
        ),
        preloadedGateway,
      )
    : undefined;
  await ordersUrl;

  if (gatewayUrl && names.size === services.SERVICE_NAMES.length) {
    if (!(await becomesReady(gatewayUrl))) screen.complain(`the gateway is not ready yet: see ${gatewayUrl}/readyz`);
    screen.say(readyText(gatewayUrl, database !== undefined, await examplesAt(gatewayUrl, database !== undefined)));
  }
  if (watch) {
    restartOnChange(restartable, screen);
    await group.start((shown) => startChild(compilerProcess(PACKAGE_DIR, settings.environment), shown)).ready;
    screen.say('the compiler is ready: services restart when their code changes');
  }
}

async function isDatabaseRunning({ databaseGiven, production, dataDir }: StartSettings): Promise<boolean> {
  return !databaseGiven && !production && embeddedDatabaseIn(dataDir).isRunning();
}

/** The embedded database, whose process has been started. */
export interface StartedDatabase extends EmbeddedDatabase {
  readonly ready: Promise<unknown>;
}

/** Starts the embedded database, unless the environment sets another one or this is production, which requires one. */
export function beginDatabase(
  settings: StartSettings,
  group: ServiceGroup,
  screen: Screen,
): StartedDatabase | undefined {
  if (settings.databaseGiven) return undefined;
  if (settings.production) {
    // A shell may have it for other projects; the services then name what they lack, but not why they need it.
    screen.say(
      'NODE_ENV is production, so no database, secrets or demo accounts are created: unset it for development',
    );
    return undefined;
  }
  const database = embeddedDatabaseIn(settings.dataDir);
  const exists = database.exists();
  screen.say(
    exists ? `opening the database in ${database.files}` : `creating the database in ${database.files} (once)`,
  );
  const { ready } = group.start((shown) =>
    startChild({ ...database.process, name: 'embedded-database', environment: settings.environment }, shown),
  );
  return { ...database, ready };
}

const READY_WITHIN_MS = 10_000;

/** Whether the gateway, which listens before its sources are loaded, becomes ready in time. */
async function becomesReady(url: string): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return true;
    await sleep(50);
  }
  return false;
}

/** What there is to try at the gateway. */
async function examplesAt(url: string, hasDemoData: boolean): Promise<Examples> {
  const answerOf = (path: string, init?: RequestInit) => fetch(url + path, init).catch(() => undefined);
  const { clientId, clientSecret } = DEMO_OPERATOR;
  const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const [documented, orders, console, token] = await Promise.all([
    answerOf('/api/swagger/public.json').then((answer) => (answer?.ok ? answer.text() : '')),
    answerOf('/api/orders/'),
    answerOf('/console/settings.json'),
    // The seed leaves it out where its tenant is another one, and it may have been revoked since.
    hasDemoData ? answerOf('/oauth/token', { method: 'POST', body: new URLSearchParams(credentials) }) : undefined,
  ]);
  return {
    login: documented.includes('"/api/rest/auth_user_login"'),
    orders: orders?.status === 401,
    console: console?.ok === true,
    operator: token?.ok === true,
  };
}

async function addDemoAccounts(
  auth: services.ServiceSpec,
  database: EmbeddedDatabase,
  group: ServiceGroup,
  screen: Screen,
): Promise<void> {
  screen.say('adding the demo data');
  const earlier = database.hasOtherDemoData() ? [services.FROM_EARLIER_VERSION] : [];
  // Also beside tenants of my own: the embedded database is for a try.
  await group.complete(services.demoSeedSpec(auth, [services.UNSAFE_PUBLIC_PASSWORDS, ...earlier]));
  database.recordDemoData();
}
