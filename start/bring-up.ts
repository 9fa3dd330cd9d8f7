import { setTimeout as sleep } from 'node:timers/promises';
import { type PreloadedChild, preloadChild, startChild } from './child.ts';
import { PACKAGE_DIR, type StartSettings, urlOf } from './config.ts';
import type { Crew } from './crew.ts';
import { prepareDataDir } from './data-dir.ts';
import { assertionKeyFor, developmentSecretsFor, revocationSecretsFor } from './development-secrets.ts';
import { type EmbeddedDatabase, embeddedDatabaseIn } from './embedded-database/index.ts';
import { type Examples, readyText } from './ready-text.ts';
import { type RestartableChild, startRestartable } from './restartable.ts';
import type { Screen } from './screen.ts';
import * as services from './services.ts';
import { compiler, restartOnChange } from './watch.ts';

export interface BringUpOptions {
  readonly names: ReadonlySet<services.ServiceName>;
  /** Goes on compiling, and starts each service again when its code has changed. */
  readonly watch: boolean;
  readonly settings: StartSettings;
  /** Resolves once the code of the auth service is complete; that of the others is when the launcher runs. */
  readonly compiled: Promise<void>;
}

/**
 * Starts services on `crew`, each as soon as what it depends on is ready, and reports the progress. Beside the database,
 * which takes longest, the services load their code already.
 */
export async function bringUp(options: BringUpOptions, crew: Crew, screen: Screen): Promise<void> {
  const { names, watch, settings, compiled } = options;
  const restartable: RestartableChild[] = [];

  function start(spec: services.ServiceSpec) {
    if (!watch) return crew.start((shown) => startChild(spec, shown));
    const child = crew.start((shown) => startRestartable(spec, shown));
    restartable.push(child);
    return child;
  }

  function preload(name: services.ServiceName): PreloadedChild | undefined {
    if (watch || !names.has(name)) return undefined;
    return crew.start((shown) => preloadChild(services.preloadable(name, settings), shown));
  }

  async function serve(spec: services.ServiceSpec, preloaded?: PreloadedChild): Promise<string> {
    preloaded?.begin(spec.environment);
    const port = await (preloaded ?? start(spec)).ready;
    const url = urlOf(spec.host, port);
    screen.say(`${spec.name} is ready: ${url}`);
    return url;
  }

  if (names.has('auth-service') || names.has('orders') || !settings.production) prepareDataDir(settings.dataDir);
  const revocationSecrets = revocationSecretsFor(settings);

  const database = names.has('auth-service') ? beginDatabase(settings, crew, screen) : undefined;
  // Its failure is awaited below; until then it is no surprise.
  const ordersUrl = names.has('orders') ? serve(services.orders(settings)) : Promise.resolve(settings.ordersUrl);
  ordersUrl.catch(() => {});
  if (names.has('auth-service')) await compiled;
  const preloadedAuth = preload('auth-service');
  const preloadedGateway = preload('gateway');

  let authServiceUrl = settings.authServiceUrl;
  if (names.has('auth-service')) {
    await database?.ready;
    const secrets = { ...developmentSecretsFor(settings), ...revocationSecrets.authService };
    const auth = services.authService(settings, database?.url, secrets);
    authServiceUrl = await serve(auth, preloadedAuth);
    // Before the gateway: once that is ready, callers want to log in.
    if (database && !database.hasDemoData()) await seedDemoData(auth, database, crew, screen);
  }

  const gatewayUrl = names.has('gateway')
    ? await serve(
        services.gateway(
          settings,
          authServiceUrl,
          await ordersUrl,
          { assertionKey: assertionKeyFor(settings), revocations: revocationSecrets.gateway },
          database?.hasDemoData(),
        ),
        preloadedGateway,
      )
    : undefined;
  await ordersUrl;

  if (gatewayUrl && names.size === services.SERVICE_NAMES.length) {
    if (!(await getsReady(gatewayUrl)))
      screen.complain(`the gateway still waits for something: see ${gatewayUrl}/readyz`);
    screen.say(readyText(gatewayUrl, database !== undefined, await examplesAt(gatewayUrl)));
  }
  if (watch) {
    restartOnChange(restartable, screen);
    await crew.start((shown) => startChild(compiler(PACKAGE_DIR, settings.environment), shown)).ready;
    screen.say('the compiler is ready: every change of the code restarts the services that are made of it');
  }
}

/** The embedded database, whose process has been started. */
export interface StartedDatabase extends EmbeddedDatabase {
  readonly ready: Promise<unknown>;
}

/** Starts the embedded database, unless the environment names another one or, in production, has to. */
export function beginDatabase(settings: StartSettings, crew: Crew, screen: Screen): StartedDatabase | undefined {
  if (settings.databaseGiven || settings.production) return undefined;
  const database = embeddedDatabaseIn(settings.dataDir);
  const made = database.exists();
  screen.say(made ? `opening the database in ${database.files}` : `making the database in ${database.files} (once)`);
  const { ready } = crew.start((shown) =>
    startChild({ ...database.process, name: 'embedded-database', environment: settings.environment }, shown),
  );
  return { ...database, ready };
}

const READY_WITHIN_MS = 10_000;

/** Whether the gateway, which listens before it knows its sources, is ready in time to answer everything. */
async function getsReady(url: string): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return true;
    await sleep(50);
  }
  return false;
}

/** Which examples the gateway can answer. What its metadata lacks is no address of it, or needs another one's token. */
async function examplesAt(url: string): Promise<Examples> {
  const documented = await fetch(`${url}/api/swagger/public.json`).then(
    (answer) => (answer.ok ? answer.text() : ''),
    () => '',
  );
  const orders = await fetch(`${url}/api/orders/`).catch(() => undefined);
  return { login: documented.includes('"/api/rest/auth_user_login"'), orders: orders?.status === 401 };
}

async function seedDemoData(
  auth: services.ServiceSpec,
  database: EmbeddedDatabase,
  crew: Crew,
  screen: Screen,
): Promise<void> {
  screen.say('putting in the demo data');
  await crew.complete(services.demoSeed(auth));
  database.noteDemoData();
}
