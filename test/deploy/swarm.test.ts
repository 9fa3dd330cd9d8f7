import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig as readAuthConfig } from '../../auth-service/config.ts';
import { readConfig as readGatewayConfig } from '../../gateway/config.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { source: string }[];
  readonly networks: Readonly<Record<string, unknown>>;
  readonly ports?: readonly { mode: string; target: number; published: number }[];
  readonly volumes?: readonly { type: string; source?: string; target: string }[];
  readonly healthcheck?: { test: readonly string[] };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period?: string;
  readonly deploy: {
    readonly mode?: string;
    readonly endpoint_mode?: string;
    readonly replicas?: number;
    readonly update_config?: { order: string; failure_action: string };
    readonly rollback_config?: { order: string };
    readonly resources: { limits: { memory: string } };
  };
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { internal?: boolean }>>;
  readonly secrets: Readonly<Record<string, { name: string; file: string }>>;
}

/** The client alone puts the files together; no engine is asked. */
const hasDocker = spawnSync('docker', ['stack', 'config', '--help']).status === 0;
if (!hasDocker)
  process.stderr.write('SKIPPED: there is no docker here, so the stack of deploy/swarm is not put together\n');

test('the balancer of the stack waits, retries and asks servers as that of deploy/haproxy does', () => {
  const defaultsOf = (directory: string) => {
    const text = readFileSync(join(ROOT, 'deploy', directory, 'haproxy.cfg'), 'utf8');
    const [, section = ''] = text.match(/^defaults\n((?: {2}.*\n|\n)*)/m) ?? [];
    return section.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  };
  const expected = defaultsOf('haproxy');
  expect(expected.length).toBeGreaterThan(10);
  expect(defaultsOf('swarm')).toEqual([...expected, expect.stringContaining('default-server resolvers docker')]);
});

(hasDocker ? describe : describe.skip)('the stack for Docker Swarm', () => {
  let stack: Stack;
  const service = (name: string): Service => {
    const found = stack.services[name];
    if (!found) throw new Error(`the stack has no service ${name}`);
    return found;
  };

  beforeAll(() => {
    const text = execFileSync(join(ROOT, 'deploy/swarm/stack.sh'), ['config'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    stack = parse(text);
  });

  test('has every service of docker-compose.yml, each with the command, the secrets and the volumes that it has there', () => {
    const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
    for (const [name, { command, secrets = [], volumes = [] }] of Object.entries<Record<string, unknown[]>>(
      compose.services,
    )) {
      expect(service(name).command).toEqual(command);
      expect((service(name).secrets ?? []).map(({ source }) => source).sort()).toEqual([...secrets].sort());
      const named = volumes.map(String).filter((volume) => !volume.startsWith('.'));
      const mounted = service(name).volumes?.filter(({ type }) => type !== 'tmpfs') ?? [];
      expect(mounted.map(({ source, target }) => `${source}:${target}`)).toEqual(named);
    }
    expect(Object.keys(stack.services).sort()).toEqual([...Object.keys(compose.services), 'balancer', 'redis'].sort());
  });

  test('has settings with which gateway and auth service start in production, and which agree', () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-secrets-'));
    const environmentOf = (name: string) => {
      const { environment = {} } = service(name);
      const entries = Object.entries(environment).map(([key, value]) => {
        if (!value.startsWith('/run/secrets/')) return [key, value];
        const file = join(directory, value.slice('/run/secrets/'.length));
        writeFileSync(file, Buffer.alloc(32, 7).toString('base64'));
        return [key, file];
      });
      return { NODE_ENV: 'production', ...Object.fromEntries(entries) };
    };
    try {
      const gateway = readGatewayConfig(environmentOf('gateway'));
      const auth = readAuthConfig(environmentOf('auth-service'));
      const runner = readGatewayConfig(environmentOf('runner'));
      expect([gateway.jobs?.mode, runner.jobs?.mode, runner.workers]).toEqual(['accept', 'run', 1]);
      expect(runner.jobs?.url).toBe(gateway.jobs?.url);
      expect(runner.jobs?.url).toMatch(/^postgresql:\/\/portico_jobs@.*[?&]password=/);
      const { issuer, audience } = auth.accessTokens;
      expect(gateway.authentication.jwtSecrets).toEqual([expect.objectContaining({ issuer, audience: [audience] })]);
      expect(gateway.PORTICO_TRUSTED_PROXIES).toBe(1);
      expect(gateway.PORTICO_REDIS_URL).toBe('redis://redis:6379/0');
      // The balancer leaves a task out after two failures, a second apart.
      expect(gateway.PORTICO_DRAIN_SECONDS).toBeGreaterThanOrEqual(5);
      expect(auth.drainMs).toBeGreaterThanOrEqual(5_000);
      // Whatever drain is set, up to the longest.
      const stopSeconds = 60 + gateway.HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT + 4;
      for (const name of ['gateway', 'runner', 'auth-service'])
        expect(secondsOf(service(name).stop_grace_period)).toBeGreaterThan(stopSeconds);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('starts new gateways and auth services before old ones stop, and rolls back what does not become healthy', () => {
    for (const name of ['gateway', 'runner', 'auth-service']) {
      const { deploy, healthcheck } = service(name);
      expect(deploy.replicas).toBeGreaterThan(1);
      expect(deploy.update_config).toMatchObject({ order: 'start-first', failure_action: 'rollback' });
      expect(deploy.rollback_config).toMatchObject({ order: 'start-first' });
      expect(healthcheck?.test).toEqual(['CMD', 'portico-health', expect.stringMatching(/^\d+$/), '--until-ready']);
    }
    for (const name of ['postgres', 'redis']) expect(service(name).deploy.update_config?.order).toBe('stop-first');
  });

  test('works without virtual addresses, publishes the balancer alone, and lets no other network out', () => {
    for (const [name, { deploy, ports = [] }] of Object.entries(stack.services)) {
      if (deploy.mode !== 'replicated-job') expect([name, deploy.endpoint_mode]).toEqual([name, 'dnsrr']);
      expect([name, ports.map(({ mode }) => mode)]).toEqual([name, name === 'balancer' ? ['host'] : []]);
    }
    const open = Object.entries(stack.networks).filter(([, network]) => !network.internal);
    expect(open.map(([name]) => name)).toEqual(['public']);
    const on = (network: string) =>
      Object.entries(stack.services).flatMap(([name, { networks }]) => (network in networks ? [name] : []));
    expect(on('database').sort()).toEqual(['auth-service', 'database-setup', 'gateway', 'postgres', 'runner']);
    expect(on('counters').sort()).toEqual(['gateway', 'redis', 'runner']);
  });

  test('runs everything of ours on a read-only file system, without capabilities, with a limit of memory', () => {
    for (const [name, { deploy, read_only, cap_drop, volumes = [] }] of Object.entries(stack.services)) {
      expect([name, Number(deploy.resources.limits.memory) > 0, cap_drop]).toEqual([name, true, ['ALL']]);
      if (name === 'postgres') continue;
      expect([name, read_only]).toEqual([name, true]);
      if (['balancer', 'redis'].includes(name)) continue;
      expect(volumes).toContainEqual(expect.objectContaining({ type: 'tmpfs', target: '/tmp' }));
    }
  });

  test('gives each stack secrets of its own', () => {
    for (const [name, secret] of Object.entries(stack.secrets)) {
      expect(secret.name).toBe(`portico_${name}`);
      expect(secret.file).toBe(join(ROOT, 'secrets', name));
    }
  });
});

(hasDocker ? describe : describe.skip)('the secrets of a stack for Docker Swarm', () => {
  /** A copy of what the stack is made of, so that no secrets of this directory are touched. */
  let copy: string;
  const file = (name: string) => join(copy, 'secrets', name);
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'portico-stack-'));
    cpSync(join(ROOT, 'deploy/swarm'), join(copy, 'deploy/swarm'), { recursive: true });
    cpSync(join(ROOT, 'docker-compose.yml'), join(copy, 'docker-compose.yml'));
    mkdirSync(join(copy, 'secrets'));
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  const configOf = (environment: Record<string, string> = {}): Stack =>
    parse(
      execFileSync(join(copy, 'deploy/swarm/stack.sh'), ['config'], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  const namesOf = ({ secrets }: Stack) =>
    Object.fromEntries(Object.entries(secrets).map(([key, { name }]) => [key, name]));
  /** What a service's variable that names a file holds, once the stack is deployed. */
  const settingOf = (stack: Stack, service: string, variable: string) => {
    const path = stack.services[service]?.environment?.[`${variable}_FILE`];
    const secret = path === undefined ? undefined : stack.secrets[path.slice('/run/secrets/'.length)];
    return secret && readFileSync(secret.file, 'utf8');
  };

  test('are replaced one by one', () => {
    const before = namesOf(configOf());
    for (const name of Object.keys(before)) {
      const after = namesOf(configOf({ [`PORTICO_${name.toUpperCase()}_VERSION`]: '-2' }));
      expect(after).toEqual({ ...before, [name]: `portico_${name}-2` });
    }
  });

  test('at no step of replacing the one of revocations, a gateway has one that an auth service refuses', () => {
    const steps: { sent: string | undefined; accepted: unknown[]; names: string[] }[] = [];
    const deploy = (version: string) => {
      const stack = configOf({ PORTICO_REVOCATION_SECRET_VERSION: version });
      const variables = ['AUTH_REVOCATION_SECRET', 'AUTH_REVOCATION_SECRET_PREVIOUS'];
      steps.push({
        sent: settingOf(stack, 'gateway', 'PORTICO_REVOCATION_SECRET'),
        accepted: variables.map((name) => settingOf(stack, 'auth-service', name)),
        names: Object.entries(stack.secrets).flatMap(([key, { name, file }]) =>
          key.includes('revocation') ? [`${name} ${readFileSync(file, 'utf8')}`] : [],
        ),
      });
    };
    writeFileSync(file('revocation_secret'), 'old');
    deploy('');
    writeFileSync(file('revocation_secret_next'), 'new');
    deploy('');
    renameSync(file('revocation_secret'), file('revocation_secret_previous'));
    renameSync(file('revocation_secret_next'), file('revocation_secret'));
    deploy('-2');
    rmSync(file('revocation_secret_previous'));
    deploy('-2');

    expect(steps.map(({ sent, accepted }) => [sent, accepted])).toEqual([
      ['old', ['old', undefined]],
      ['old', ['old', 'new']],
      ['new', ['new', 'old']],
      ['new', ['new', undefined]],
    ]);
    // Tasks of two successive steps run side by side.
    for (const [index, step] of steps.entries())
      for (const { accepted } of steps.slice(Math.max(index - 1, 0), index + 2)) expect(accepted).toContain(step.sent);
    // Swarm never changes the content of a name.
    const contents = new Set(steps.flatMap(({ names }) => names));
    expect(new Set([...contents].map((text) => text.split(' ')[0])).size).toBe(contents.size);
  });

  test('have no next and previous one of revocations at the same time', () => {
    for (const name of ['next', 'previous']) writeFileSync(file(`revocation_secret_${name}`), name);
    expect(() => configOf()).toThrow(/revocation_secret_next and a revocation_secret_previous: remove one/);
  });

  test('the previous key-encryption key is given to the auth service alone, while there is one', () => {
    writeFileSync(file('key_encryption_key_previous'), 'old');
    const stack = configOf({ PORTICO_KEY_ENCRYPTION_KEY_VERSION: '-2' });
    expect(settingOf(stack, 'auth-service', 'AUTH_KEY_ENCRYPTION_KEY_PREVIOUS')).toBe('old');
    const holders = Object.entries(stack.services).filter(([, { secrets = [] }]) =>
      secrets.some(({ source }) => source === 'key_encryption_key_previous'),
    );
    expect(holders.map(([name]) => name)).toEqual(['auth-service']);
  });
});

/** @param duration such as `1m40s`, the form in which `docker stack config` writes it. */
function secondsOf(duration = ''): number {
  const [, minutes = 0, seconds = 0] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ?? [];
  return Number(minutes) * 60 + Number(seconds);
}
