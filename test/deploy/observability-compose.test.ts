import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const DIRECTORY = 'deploy/observability';
const FILE = `${DIRECTORY}/compose.yml`;

interface Service {
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly mem_limit?: string;
  readonly logging?: unknown;
}

const read = (file: string) => parse(readFileSync(file, 'utf8'), { merge: true });
const { services, networks } = read(FILE) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};
const base = read('docker-compose.yml').services as Readonly<Record<string, Service>>;
const observers = Object.entries(services).filter(([name]) => !(name in base));

const compose = ['docker-compose version', 'docker compose version']
  .filter((command) => spawnSync('sh', ['-c', command]).status === 0)
  .map((command) => command.replace(/ version$/, ''))[0];
if (compose === undefined)
  process.stderr.write(
    '\nSKIPPED: there is no docker-compose here, so the profile observability is not put together\n',
  );

test('the observers are Prometheus, Grafana, a Collector and a trace store, of pinned versions, in the profile', () => {
  expect(observers.map(([name]) => name)).toEqual(['prometheus', 'grafana', 'collector', 'tempo']);
  for (const [, { image, profiles }] of observers) {
    expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    expect(profiles).toEqual(['observability']);
  }
});

test('what they publish is on the loopback address, and what they need not reach is closed', () => {
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports).toHaveLength(2);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  expect(networks).toEqual({ observability: { internal: true }, observers: null });
  for (const [name, service] of observers)
    expect([name, service.networks?.includes('observers')]).toEqual([name, service.ports !== undefined]);
});

test('no password is written down', () => {
  const variables = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
  expect(variables.filter((name) => /PASSWORD|SECRET|TOKEN/.test(name))).toEqual(['GF_SECURITY_ADMIN_PASSWORD__FILE']);
});

test('each observer is bounded and unprivileged', () => {
  for (const [name, { cap_drop, mem_limit, logging }] of observers)
    expect([name, cap_drop, mem_limit, logging]).toEqual([
      name,
      ['ALL'],
      expect.stringMatching(/^\$\{\w+:-\d+[gm]\}$/),
      { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    ]);
});

test('what is mounted exists, and Grafana’s data sources are those that the dashboards’ links name', () => {
  const mounted = observers.flatMap(([, { volumes = [] }]) =>
    volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('./')),
  );
  expect(mounted.length).toBeGreaterThan(5);
  for (const path of mounted) expect(() => readFileSync(path)).not.toThrow(/ENOENT/);

  const { datasources } = read(`${DIRECTORY}/grafana/provisioning/datasources/portico.yml`);
  const uids = datasources.map(({ uid }: { uid: string }) => uid);
  const exemplars = datasources[0].jsonData.exemplarTraceIdDestinations;
  expect(uids).toEqual(['portico-prometheus', 'portico-tempo']);
  expect(exemplars).toEqual([{ name: 'trace_id', datasourceUid: 'portico-tempo' }]);
  expect(readFileSync(`${DIRECTORY}/grafana/dashboards/overview.json`, 'utf8')).toContain('/public/portico-docs/');
});

test('traces go from the services to the Collector, and from there to the trace store', () => {
  const collector = read(`${DIRECTORY}/collector/config.yml`);
  const tempo = read(`${DIRECTORY}/tempo/tempo.yml`);
  const portOf = (address: string) => address.split(':').at(-1);
  const received = portOf(collector.receivers.otlp.protocols.http.endpoint);
  for (const name of ['gateway', 'auth-service', 'orders'])
    expect(services[name]?.environment?.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(`http://collector:${received}`);
  const stored = portOf(tempo.distributor.receivers.otlp.protocols.http.endpoint);
  expect(collector.exporters['otlp_http/tempo'].endpoint).toBe(`http://tempo:${stored}`);
  const { receivers, exporters } = collector.service.pipelines.traces;
  expect([receivers, exporters]).toEqual([['otlp'], ['otlp_http/tempo']]);
});

test('Prometheus scrapes the ports that the services open', () => {
  const { scrape_configs } = read(`${DIRECTORY}/prometheus/prometheus.yml`);
  const targets = scrape_configs.flatMap(({ dns_sd_configs = [] }) => dns_sd_configs);
  expect(services.runner?.environment).toEqual(services.gateway?.environment);
  expect(targets).toMatchObject([
    { names: ['gateway', 'runner'], port: services.gateway?.environment?.PORTICO_METRICS_PORT },
    { names: ['auth-service'], port: services['auth-service']?.environment?.AUTH_METRICS_PORT },
  ]);
});

(compose === undefined ? describe.skip : describe)('the profile, put together without an engine', () => {
  test('adds to the stack, and changes nothing where it is not selected', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'portico-observability-'));
    try {
      for (const path of ['docker-compose.yml', DIRECTORY, 'secrets/make.sh', 'docs', 'metadata'])
        cpSync(path, join(directory, path), { recursive: true });
      mkdirSync(join(directory, 'secrets'), { recursive: true });
      writeFileSync(join(directory, 'Dockerfile'), 'FROM scratch\n');
      const config = async (environment: Record<string, string>) => {
        const env = { ...process.env, COMPOSE_PROJECT_NAME: 'portico-test', ...environment };
        const script = `./secrets/make.sh >/dev/null && ${compose} config`;
        const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: directory, env });
        return parse(stdout).services as Readonly<Record<string, Service>>;
      };
      const files = `docker-compose.yml:${FILE}`;
      const selected = await config({ COMPOSE_FILE: files, COMPOSE_PROFILES: 'observability' });
      expect(Object.keys(selected).sort()).toEqual([...Object.keys(base), ...observers.map(([name]) => name)].sort());
      expect(selected.gateway?.environment).toMatchObject({
        HASURA_GRAPHQL_SERVER_HOST: '0.0.0.0',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      });
      const { networks: joined = [] } = selected.gateway ?? {};
      const names = Array.isArray(joined) ? joined : Object.keys(joined);
      expect(names.sort()).toEqual(['database', 'observability', 'public', 'services']);
      expect(Object.keys(await config({ COMPOSE_FILE: 'docker-compose.yml' })).sort()).toEqual(
        Object.keys(base).sort(),
      );
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
