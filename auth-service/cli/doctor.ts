import { addressUrl, SettingsError } from '../../platform/index.ts';
import { type Config, readConfig } from '../config.ts';
import { connectToDatabase, openDatabase, pendingMigrations, readUserRights } from '../database/index.ts';
import { type Bcrypt, loadBcrypt } from '../passwords/index.ts';
import { createSealer, inspectRefreshTokenKeys, readSigningKeys } from '../tokens/index.ts';
import { countPasswords, type PepperVerification, verifyPeppers } from '../use-cases/index.ts';
import { type CommandArguments, type CommandProcess, type Outcome, singleOption } from './command.ts';
import { invalidUrl } from './errors.ts';

const MAX_CLOCK_DIFFERENCE_MS = 5_000;
const ANSWER_WITHIN_MS = 5_000;

interface Finding {
  check: string;
  result: 'ok' | 'warning' | 'failed';
  detail: string;
}

/** Runs all checks, even if one of them fails. */
export async function doctor({ env }: Pick<CommandProcess, 'env'>, given: CommandArguments): Promise<Outcome> {
  const url = singleOption(given.options, 'url');
  if (url !== undefined && !URL.canParse(url)) throw invalidUrl();
  const findings: Finding[] = [];
  const config = checkSettings(env, findings);
  if (config) {
    checkHashing(findings);
    if (await checkDatabase(config, findings)) {
      await checkUserRights(config, findings);
      await checkMigrations(config, findings);
      await checkSigningKeys(config, findings);
      await checkRefreshTokenKeys(config, findings);
      await checkPeppers(config, findings);
      await checkPasswords(config, findings);
    }
    await checkService(config, url, findings);
    await checkGateway(config, findings);
  }
  const text = findings.map(({ check, result, detail }) => `${result.padEnd(7)}  ${check}: ${detail}`).join('\n');
  return { json: findings, text, failed: findings.some(({ result }) => result === 'failed') };
}

function checkSettings(environment: NodeJS.ProcessEnv, findings: Finding[]): Config | undefined {
  try {
    const config = readConfig(environment);
    findings.push({ check: 'settings', result: 'ok', detail: 'all settings can be read' });
    return config;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const detail of error.problems) findings.push({ check: 'settings', result: 'failed', detail });
    return undefined;
  }
}

async function checkDatabase({ database: { url } }: Config, findings: Finding[]): Promise<boolean> {
  try {
    const client = await connectToDatabase(url);
    try {
      const { rows } = await client.query(
        "SELECT version() AS version, clock_timestamp() AS now, current_setting('transaction_read_only') AS read_only",
      );
      const version = String(rows[0]?.version).split(' on ')[0] ?? '';
      if (rows[0]?.read_only === 'on')
        findings.push({
          check: 'database',
          result: 'failed',
          detail: `${version}, read-only, because it is a standby or configured as read-only; logins and refreshes fail`,
        });
      else findings.push({ check: 'database', result: 'ok', detail: version });
      const difference = Math.abs(new Date(rows[0]?.now).getTime() - Date.now());
      const near = difference <= MAX_CLOCK_DIFFERENCE_MS;
      const detail = near
        ? 'matches the clock of the database'
        : `differs from the clock of the database by ${difference} ms`;
      findings.push({ check: 'clock', result: near ? 'ok' : 'failed', detail });
      return true;
    } finally {
      await client.end();
    }
  } catch (error) {
    findings.push({ check: 'database', result: 'failed', detail: (error as Error).message });
    return false;
  }
}

async function checkUserRights({ database: { url, superuser } }: Config, findings: Finding[]): Promise<void> {
  const client = await connectToDatabase(url);
  const finding = (result: Finding['result'], detail: string) =>
    findings.push({ check: 'database user', result, detail });
  try {
    const { user, isAbovePolicies, ownsTables } = await readUserRights(client);
    if (isAbovePolicies)
      finding(
        superuser === 'accept' ? 'ok' : 'warning',
        `${user} is a superuser or can bypass row-level security: run "database setup"`,
      );
    else if (ownsTables)
      finding('ok', `row-level security applies to ${user}, but ${user} owns the tables and could turn it off`);
    else finding('ok', `row-level security applies to ${user}`);
  } finally {
    await client.end();
  }
}

async function checkMigrations({ database: { url } }: Config, findings: Finding[]): Promise<void> {
  const pending = await pendingMigrations(url);
  const detail = pending.length === 0 ? 'all applied' : `not applied yet: ${pending.join(', ')}`;
  findings.push({ check: 'migrations', result: pending.length === 0 ? 'ok' : 'failed', detail });
}

async function checkSigningKeys(config: Config, findings: Finding[]): Promise<void> {
  const database = openDatabase(config.database.url, { poolSize: 1 });
  const sealer = createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey);
  const finding = (result: Finding['result'], detail: string) => findings.push({ check: 'keys', result, detail });
  try {
    const rows = await database.withoutTenant(readSigningKeys);
    const sealed = rows.filter(({ sealedPrivateKey, kid }) => !sealer.open(sealedPrivateKey, kid));
    const old = rows.filter(({ sealedPrivateKey, kid }) => !sealer.isCurrent(sealedPrivateKey, kid));
    if (rows.length === 0) finding('warning', 'there are none yet; the service creates one when it starts');
    else if (!rows.some(({ state }) => state === 'active')) finding('failed', 'no key is active');
    else if (sealed.length > 0) finding('failed', `AUTH_KEY_ENCRYPTION_KEY cannot decrypt ${sealed.length} of them`);
    else if (old.length > 0) finding('warning', `${old.length} are encrypted with the previous key: run "key reseal"`);
    else finding('ok', `${rows.length} published, one active`);
  } catch {
    finding('failed', 'cannot be read');
  } finally {
    await database.close();
  }
}

async function checkRefreshTokenKeys(config: Config, findings: Finding[]): Promise<void> {
  const database = openDatabase(config.database.url, { poolSize: 1 });
  const sealer = createSealer(config.keyEncryptionKey, config.previousKeyEncryptionKey);
  const finding = (result: Finding['result'], detail: string) =>
    findings.push({ check: 'refresh token keys', result, detail });
  try {
    const { total, previous, unopened } = await database.withoutTenant((transaction) =>
      inspectRefreshTokenKeys(transaction, sealer),
    );
    if (total === 0) finding('warning', 'there are none yet; the service creates one when it starts');
    else if (unopened.length > 0)
      finding(
        'warning',
        `AUTH_KEY_ENCRYPTION_KEY cannot decrypt ${unopened.length} of ${total}: ${unopened.join(', ')}`,
      );
    else if (previous > 0) finding('warning', `${previous} are encrypted with the previous key: run "key reseal"`);
    else finding('ok', `all ${total} can be decrypted`);
  } catch {
    finding('failed', 'cannot be read');
  } finally {
    await database.close();
  }
}

function checkHashing(findings: Finding[]): void {
  const { name } = loadBcrypt();
  const native = name === '@node-rs/bcrypt';
  const detail = native ? `uses ${name}` : `uses ${name}, which is slower: @node-rs/bcrypt cannot be loaded here`;
  findings.push({ check: 'hashing', result: native ? 'ok' : 'warning', detail });
}

async function checkPeppers(config: Config, findings: Finding[]): Promise<void> {
  const database = openDatabase(config.database.url, { poolSize: 1 });
  const finding = (result: Finding['result'], detail: string) => findings.push({ check: 'peppers', result, detail });
  const library = loadBcrypt();
  const bcrypt: Bcrypt = {
    hash: async (text, cost) => library.hash(text, cost),
    compare: async (text, hash) => library.compare(text, hash),
  };
  try {
    const verdicts = [...(await verifyPeppers(database, { ...config.passwords, bcrypt }))];
    const versions = (which: PepperVerification) =>
      verdicts
        .filter(([, verdict]) => verdict === which)
        .map(([version]) => version)
        .join(', ');
    const [different, added] = [versions('different'), versions('new')];
    if (different)
      finding(
        'failed',
        `version ${different} differs from the pepper that this database knows: the service does not start, and ` +
          'all passwords of this version are rejected. Set the peppers that belong to this database',
      );
    else if (added)
      finding('ok', `version ${added} is new to this database; the next start of the service registers it`);
    else finding('ok', `version ${versions('same')} matches the peppers that this database knows`);
  } catch {
    finding('failed', 'cannot be compared with the peppers that the database knows');
  } finally {
    await database.close();
  }
}

async function checkPasswords(config: Config, findings: Finding[]): Promise<void> {
  const database = openDatabase(config.database.url, { poolSize: 1 });
  const finding = (result: Finding['result'], detail: string) => findings.push({ check: 'passwords', result, detail });
  const { secrets, current } = config.passwords.peppers;
  try {
    const counts = await countPasswords(database);
    const sum = (which: (version: number | null) => boolean) =>
      counts.reduce((total, { pepperVersion, users }) => total + (which(pepperVersion) ? users : 0), 0);
    const lost = sum((version) => version !== null && !secrets.has(version));
    const facts = [
      `${sum((version) => version === current)} with the current pepper`,
      `${sum((version) => version !== null && version !== current && secrets.has(version))} with an older one`,
      `${sum((version) => version === null)} imported and not yet used`,
    ].join(', ');
    if (lost > 0)
      finding('warning', `${lost} users cannot log in because their pepper is not in the settings; ${facts}`);
    else finding('ok', facts);
  } catch {
    finding('failed', 'cannot be read');
  } finally {
    await database.close();
  }
}

async function checkService({ listen }: Config, given: string | undefined, findings: Finding[]): Promise<void> {
  const url = given ?? addressUrl(listen.host, listen.port);
  const answer = await fetchJson(new URL('/readyz', url));
  if (answer.ok) findings.push({ check: 'service', result: 'ok', detail: `ready at ${url}` });
  // Without --url, the service may run elsewhere, such as in another container.
  else {
    const remedy = given ? '' : '; use --url for another address';
    findings.push({
      check: 'service',
      result: given ? 'failed' : 'warning',
      detail: `${url}: ${answer.problem}${remedy}`,
    });
  }
}

async function checkGateway({ accessTokens: { issuer } }: Config, findings: Finding[]): Promise<void> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/oauth-authorization-server`;
  const answer = await fetchJson(new URL(url));
  const named = (answer.body as { issuer?: unknown } | undefined)?.issuer;
  if (!answer.ok)
    findings.push({
      check: 'gateway',
      result: 'warning',
      detail: `${url}: ${answer.problem}; AUTH_ISSUER must be the public address of the gateway`,
    });
  else if (named !== issuer)
    findings.push({ check: 'gateway', result: 'failed', detail: `${url} does not name AUTH_ISSUER as its issuer` });
  else findings.push({ check: 'gateway', result: 'ok', detail: `publishes the issuer ${issuer}` });
}

async function fetchJson(url: URL): Promise<{ ok: boolean; problem: string; body?: unknown }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const body: unknown = await response.json().catch(() => undefined);
    return { ok: response.ok, problem: `responded with status ${response.status}`, body };
  } catch {
    return { ok: false, problem: 'does not respond' };
  }
}
