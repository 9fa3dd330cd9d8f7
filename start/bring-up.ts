import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from './child.ts';
import { PACKAGE_DIR, type StartSettings, urlOf } from './config.ts';
import type { Crew } from './crew.ts';
import { prepareDataDir } from './data-dir.ts';
import { assertionKeyFor, developmentSecretsFor, revocationSecretsFor } from './development-secrets.ts';
import { type EmbeddedDatabase, embeddedDatabaseIn } from './embedded-database/index.ts';
import { readyText } from './ready-text.ts';
import { type RestartableChild, startRestartable } from './restartable.ts';
import type { Screen } from './screen.ts';
import * as services from './services.ts';
import { compiler, restartOnChange } from './watch.ts';

/**
 * Starts the services in `names` on `crew`, each as soon as what it stands on is ready, and says how far it is.
 * With `watch`, goes on compiling and starts each service again when its code has changed.
 */
export async function bringUp(
  names: ReadonlySet<services.ServiceName>,
  watch: boolean,
  settings: StartSettings,
  crew: Crew,
  screen: Screen,
): Promise<void> {
  const restartable: RestartableChild[] = [];

  function start(spec: services.ServiceSpec) {
    if (!watch) return crew.start((shown) => startChild(spec, shown));
    const child = crew.start((shown) => startRestartable(spec, shown));
    restartable.push(child);
    return child;
  }

  async function serve(spec: services.ServiceSpec): Promise<string> {
    const port = await start(spec).ready;
    const url = urlOf(spec.host, port);
    screen.say(`${spec.name} is ready: ${url}`);
    return url;
  }

  if (names.has('auth-service') || names.has('orders') || !settings.production) prepareDataDir(settings.dataDir);
  const revocationSecrets = revocationSecretsFor(settings);

  // Beside the database, which takes longer. Its failure is awaited below; until then it is nobody's surprise.
  const ordersUrl = names.has('orders') ? serve(services.orders(settings)) : Promise.resolve(settings.ordersUrl);
  ordersUrl.catch(() => {});

  let authServiceUrl = settings.authServiceUrl;
  let database: EmbeddedDatabase | undefined;
  if (names.has('auth-service')) {
    database = await startDatabase(settings, crew, screen);
    const secrets = { ...developmentSecretsFor(settings), ...revocationSecrets.authService };
    const auth = services.authService(settings, database?.url, secrets);
    authServiceUrl = await serve(auth);
    // Before the gateway: whoever waits until that is ready wants to log in then.
    if (database && !database.hasDemoData()) await seedDemoData(auth, database, crew, screen);
  }

  const gatewayUrl = names.has('gateway')
    ? await serve(
        services.gateway(settings, authServiceUrl, await ordersUrl, {
          assertionKey: assertionKeyFor(settings),
          revocations: revocationSecrets.gateway,
        }),
      )
    : undefined;
  await ordersUrl;

  if (gatewayUrl && names.size === services.SERVICE_NAMES.length) {
    if (!(await getsReady(gatewayUrl)))
      screen.complain(`the gateway still waits for something: see ${gatewayUrl}/readyz`);
    screen.say(readyText(gatewayUrl, database !== undefined));
  }
  if (watch) {
    restartOnChange(restartable, screen);
    await crew.start((shown) => startChild(compiler(PACKAGE_DIR, settings.environment), shown)).ready;
    screen.say('the compiler is ready: every change of the code restarts the services that are made of it');
  }
}

/** Starts the embedded database, unless the environment names another one or, in production, has to. */
export async function startDatabase(
  settings: StartSettings,
  crew: Crew,
  screen: Screen,
): Promise<EmbeddedDatabase | undefined> {
  if (settings.databaseGiven || settings.production) return undefined;
  const database = embeddedDatabaseIn(settings.dataDir);
  const made = database.exists();
  screen.say(made ? `opening the database in ${database.files}` : `making the database in ${database.files} (once)`);
  await crew.start((shown) =>
    startChild({ ...database.process, name: 'embedded-database', environment: settings.environment }, shown),
  ).ready;
  return database;
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
