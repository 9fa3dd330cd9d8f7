import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type ArchitectureRules, checkImports, type ImportTable } from './architecture/check-imports.ts';

/** Rooms of one process, and what each may import: rooms of the same process, or of the repository. */
function roomsOf(folder: string, rooms: Readonly<Record<string, string>>): ImportTable {
  const full = (name: string) => (name in rooms ? `${folder}/${name}` : name);
  const entries = Object.entries(rooms).map(([room, imported]) => [
    full(room),
    imported.split(' ').filter(Boolean).map(full),
  ]);
  return Object.fromEntries(entries);
}

/** The gateway and the auth service talk to each other over HTTP only, so neither imports the other. */
const gateway = roomsOf('gateway', {
  admin: 'errors.ts graph http metadata schemas session platform',
  assertions: 'session platform',
  check: 'config.ts graph hasura-settings.ts metadata schemas session usage platform',
  cli: 'assertions check config.ts deliveries graph jobs metadata process schedules schemas session sources upstream usage platform',
  'cloud-events': 'errors.ts http platform',
  composition: 'federation schemas supergraph syntax platform',
  console: 'errors.ts graph home http operation session platform',
  'config.ts': 'schemas session settings upstream platform',
  cron: '',
  deliveries: 'cloud-events errors.ts http jobs metadata session webhook-jobs webhooks platform',
  'errors.ts': 'platform',
  'express-routes.ts': 'assertions errors.ts graph http ops own-paths.ts session platform',
  federation: 'errors.ts supergraph syntax platform',
  'federation/execute': 'federation/plan federation/response',
  'federation/plan': '',
  'federation/response': 'federation/plan',
  graph:
    'errors.ts federation introspection log-events.ts metadata schemas session sources supergraph syntax upstream platform',
  'graph/generation': 'graph/joined graph/relationships',
  'graph/joined': 'graph/relationships',
  'graph/registry': 'graph/generation',
  'graph/relationships': '',
  'graphql-http': 'errors.ts http operation session sources platform',
  'hasura-settings.ts': 'platform',
  home: 'errors.ts http platform',
  http: 'errors.ts platform',
  insight: 'check errors.ts graph metadata schemas session sources platform',
  introspection: 'schemas syntax platform',
  'job-commands': 'errors.ts jobs platform',
  jobs: 'errors.ts platform',
  'jobs/database': '',
  kriti: '',
  'log-events.ts': '',
  'main.ts': 'cli process',
  metadata: 'cron kriti own-paths.ts own-secrets.ts syntax platform',
  'metadata/actions': 'metadata/shapes metadata/yaml',
  'metadata/shapes': 'metadata/yaml',
  'metadata/triggers': 'metadata/actions metadata/shapes',
  'metadata/warnings': 'metadata/actions metadata/yaml',
  'metadata/yaml': '',
  operation:
    'errors.ts graph http introspection metadata rate-limit replicas session sources syntax upstream usage platform',
  'operation/document': '',
  'operation/plan': 'operation/document operation/response',
  'operation/response': '',
  'operation/validation': 'operation/document operation/response',
  ops: 'errors.ts graph http session upstream platform',
  'own-paths.ts': '',
  'own-secrets.ts': '',
  'portico.mjs': 'build/compile.mjs build/node-version.mjs build/packages.mjs',
  process:
    'assertions config.ts console deliveries errors.ts federation graph hasura-settings.ts http insight job-commands jobs metadata operation ops rate-limit replicas rest schedules server.ts session sources subscriptions upstream usage platform',
  'process/metrics': '',
  'rate-limit': 'errors.ts metadata session platform',
  replicas: 'platform',
  rest: 'assertions errors.ts graph http metadata operation schemas session sources syntax upstream platform',
  'rest/openapi': '',
  'rest/page': '',
  'rest/pass-through': '',
  schedules: 'errors.ts jobs kriti metadata upstream webhook-jobs webhooks platform',
  schemas: 'platform',
  'server.ts':
    'admin assertions console errors.ts express-routes.ts graph graphql-http home http ops own-paths.ts rest session subscriptions platform',
  session: 'errors.ts platform',
  'session/authentication': 'session/jwt',
  'session/jwt': '',
  settings: 'assertions home own-secrets.ts session webhooks platform',
  sources:
    'assertions composition errors.ts federation jobs kriti metadata schemas session supergraph syntax upstream webhooks platform',
  'sources/actions': '',
  'sources/customization': '',
  'sources/federation': 'sources/customization sources/permissions sources/remote-schema sources/transforms',
  'sources/opening':
    'sources/customization sources/federation sources/permissions sources/remote-schema sources/stitching sources/transforms',
  'sources/permissions': '',
  'sources/remote-schema': '',
  'sources/stitching': 'sources/permissions sources/remote-schema sources/transforms',
  'sources/transforms': 'sources/customization sources/permissions',
  subscriptions: 'errors.ts graphql-http http operation session sources platform',
  supergraph: 'syntax',
  syntax: '',
  upstream: 'platform',
  'upstream/interceptors': 'upstream/resilience',
  'upstream/resilience': '',
  usage: 'http platform',
  'webhook-jobs': 'jobs metadata sources upstream webhooks platform',
  webhooks: 'kriti metadata platform',
});

const authService = roomsOf('auth-service', {
  'active-span.ts': 'platform',
  audit: 'clock database platform',
  cli: 'audit clock config.ts database passwords settings throttle tokens use-cases platform',
  clock: 'database platform',
  'config.ts': 'database passwords settings throttle tokens platform',
  database: 'active-span.ts package-root.ts platform',
  'errors.ts': '',
  graph: 'errors.ts http use-cases platform',
  'graph/administration': '',
  housekeeping: 'clock database platform',
  http: 'active-span.ts clock database errors.ts tokens use-cases platform',
  'log-events.ts': '',
  'main.ts': 'config.ts process platform',
  metrics: 'audit database housekeeping http passwords throttle tokens use-cases platform',
  oauth: 'errors.ts http use-cases platform',
  'package-root.ts': '',
  passwords: 'active-span.ts package-root.ts platform',
  'portico-auth.mjs': 'build/compile.mjs build/node-version.mjs build/packages.mjs prisma',
  process:
    'active-span.ts audit clock config.ts database housekeeping http metrics passwords server.ts throttle tokens use-cases platform',
  'server.ts': 'active-span.ts errors.ts graph http oauth tokens use-cases platform',
  settings: 'database passwords throttle tokens platform',
  throttle: 'database platform',
  tokens: 'audit clock database platform',
  'use-cases': 'audit database passwords throttle tokens platform',
  'use-cases/administration': 'use-cases/clients',
  'use-cases/clients': '',
  'use-cases/refresh': '',
});

/** It knows the gateway as any browser does. */
const consoleRooms = roomsOf('console', {
  'main.tsx': 'app session',
  'theme-at-start.ts': '',
  api: '',
  administration: 'api parts routing session texts',
  app: 'api pages/account pages/audit pages/clients pages/explorer pages/graph pages/jobs pages/keys pages/metadata pages/rest pages/schema pages/sources pages/tenants pages/throttled pages/users parts routing session texts',
  editor: '',
  'pages/account': 'api parts session texts',
  'pages/audit': 'administration parts routing texts',
  'pages/clients': 'administration api parts session texts',
  'pages/explorer': 'api editor parts role-schema session texts',
  'pages/graph': 'api parts session texts',
  'pages/jobs': 'administration api parts routing session texts',
  'pages/keys': 'administration api parts session texts',
  'pages/metadata': 'api parts session texts',
  'pages/rest': 'api parts session texts',
  'pages/schema': 'api parts role-schema session texts',
  'pages/sources': 'api parts session texts',
  'pages/tenants': 'administration api parts routing session texts',
  'pages/throttled': 'administration api parts session texts',
  'pages/users': 'administration api parts routing session texts',
  parts: 'api texts',
  'role-schema': 'api session',
  routing: 'api texts',
  session: 'api',
  texts: '',
});

const RULES: ArchitectureRules = {
  mayImport: {
    ...gateway,
    ...authService,
    ...consoleRooms,
    platform: [],
    'platform/files': [],
    'platform/http': [],
    'platform/logging': ['platform/own-code'],
    'platform/metrics': ['platform/http', 'platform/logging'],
    'platform/own-code': [],
    'platform/settings': [],
    'platform/telemetry': ['platform/http', 'platform/logging', 'platform/metrics', 'platform/settings'],
    examples: ['platform'],
    start: [
      'auth-service/cli',
      'build/bundler.mjs',
      'build/compile.mjs',
      'build/console.mjs',
      'build/node-version.mjs',
      'build/packages.mjs',
      'platform',
      'prisma',
    ],
    // These know the product as its users do, as processes that answer.
    bench: [],
    faults: ['bench'],
    prisma: ['build/missing-dependencies.mjs'],
    'build/compile.d.mts': [],
    'build/bundle-stamp.mjs': [],
    'build/bundler.d.mts': [],
    'build/bundler.mjs': [],
    'build/compile.mjs': [
      'build/missing-dependencies.mjs',
      'build/output-files.mjs',
      'build/packages.mjs',
      'build/programs.mjs',
    ],
    'build/configuration-page.ts': ['auth-service/settings', 'examples', 'gateway/settings', 'start'],
    'build/console.d.mts': [],
    'build/console.mjs': [
      'build/bundle-stamp.mjs',
      'build/bundler.mjs',
      'build/missing-dependencies.mjs',
      'build/output-files.mjs',
    ],
    'build/console-schema.ts': ['auth-service/graph'],
    'build/docs.ts': ['build/configuration-page.ts', 'build/console-schema.ts', 'deploy/observability/dashboards'],
    'build/lint.mjs': ['build/missing-dependencies.mjs', 'build/run-beside.mjs'],
    'build/main.mjs': [
      'build/compile.mjs',
      'build/console.mjs',
      'build/missing-dependencies.mjs',
      'build/node-version.mjs',
      'build/packages.mjs',
      'prisma',
    ],
    'build/missing-dependencies.mjs': [],
    'build/node-version.d.mts': [],
    'build/node-version.mjs': [],
    'build/output-files.mjs': [],
    'build/packages.d.mts': [],
    'build/packages.mjs': [
      'build/bundle-stamp.mjs',
      'build/bundler.mjs',
      'build/missing-dependencies.mjs',
      'build/output-files.mjs',
    ],
    'build/programs.d.mts': [],
    'build/programs.mjs': ['build/bundler.mjs', 'build/output-files.mjs', 'build/packages.mjs'],
    'build/run-beside.d.mts': [],
    'build/run-beside.mjs': [],
    'build/suites.ts': [],
    'build/test-changed.ts': ['build/suites.ts'],
    'deploy/observability/check': ['bench', 'faults'],
    'deploy/observability/dashboards': [],
    'deploy/swarm': [],
  },
  withoutDoor: new Set(['bench', 'examples', 'faults', 'prisma', 'start']),
  // What a thread or a command loads without the rest of the room.
  sideDoors: new Set([
    'auth-service/cli/demo-operator.ts',
    'auth-service/use-cases/legible-name.ts',
    'gateway/cli/main.ts',
    'gateway/jobs/job.ts',
    'platform/command-line.ts',
    'platform/pglite-batches.ts',
    'platform/settings/setting-text.ts',
  ]),
  maxFiles: 25,
};

const FOLDERS = [
  'gateway',
  'auth-service',
  'console',
  'platform',
  'start',
  'build',
  'prisma',
  'bench',
  'deploy',
  'faults',
  'examples',
];

function readSources(): ReadonlyMap<string, string> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const ours = files.filter(
    (file) => /\.(?:ts|tsx|mts|mjs|js)$/.test(file) && !/\/(?:generated|node_modules)\//.test(file),
  );
  return new Map(ours.map((file) => [file, readFileSync(file, 'utf8')]));
}

test('each room imports only what the table allows, through doors, without circles', () => {
  expect(checkImports(readSources(), RULES)).toEqual([]);
});

describe('the check of imports', () => {
  const sources = {
    'errors.ts': '',
    'http/index.ts': "export { send } from './send.ts';",
    'http/send.ts': "import { errors } from '../errors.ts';",
    'graph/index.ts': "export { build } from './build.ts';\nexport { roles } from './roles/index.ts';",
    'graph/build.ts': "import type { Role } from './roles/index.ts';\nimport { send } from '../http/index.ts';",
    'graph/roles/index.ts': "export { roles } from './roles.ts';",
    'graph/roles/roles.ts': "import type { Types } from '../types.ts';",
    'graph/types.ts': '',
  };
  const rules: ArchitectureRules = {
    mayImport: { 'errors.ts': [], http: ['errors.ts'], graph: ['http'], 'graph/roles': [] },
    withoutDoor: new Set(),
    sideDoors: new Set(),
    maxFiles: 3,
  };
  const check = (changes: Readonly<Record<string, string>>, changed: Partial<ArchitectureRules> = {}) =>
    checkImports(new Map(Object.entries({ ...sources, ...changes })), { ...rules, ...changed });

  test('accepts a code base that keeps the rules', () => {
    expect(check({})).toEqual([]);
  });

  test.each([
    ['import', "import { build } from '../graph/index.ts';"],
    ['type-only import', "import type { build } from '../graph/index.ts';"],
    ['export', "export * from '../graph/index.ts';"],
    ['dynamic import', "const graph = await import('../graph/index.ts');"],
    ['type of an import', "type Build = import('../graph/index.ts').Build;"],
  ])('reports what the table does not allow: %s', (_kind, text) => {
    expect(check({ 'http/accept.ts': text })).toContain('http/accept.ts may not import graph/index.ts');
  });

  test('reports an import past the door of a room', () => {
    expect(
      check({ 'graph/build.ts': "import { send } from '../http/send.ts';\nimport type {} from './roles/roles.ts';" }),
    ).toEqual([
      'graph/build.ts reaches past a door: http/send.ts',
      'graph/build.ts reaches past a door: graph/roles/roles.ts',
    ]);
  });

  test('reports a circle of files within a room, also one of types', () => {
    expect(check({ 'graph/types.ts': "import type { Build } from './build.ts';" })).toEqual([
      'files in a circle: graph/build.ts -> graph/roles/index.ts -> graph/roles/roles.ts -> graph/types.ts -> graph/build.ts',
    ]);
  });

  test('reports a circle of rooms that the table allows and no circle of files shows', () => {
    const mayImport = { ...rules.mayImport, http: ['errors.ts', 'ops'], ops: ['graph'] };
    const changes = { 'http/log.ts': "import '../ops/index.ts';", 'ops/index.ts': "import '../graph/index.ts';" };
    expect(check(changes, { mayImport })).toEqual(['rooms in a circle: http -> ops -> graph -> http']);
  });

  test('reports a circle of rooms inside a room', () => {
    const mayImport = { ...rules.mayImport, 'graph/fields': ['graph/roles'], 'graph/roles': ['graph/fields'] };
    const changes = {
      'graph/roles/fields.ts': "import '../fields/index.ts';",
      'graph/fields/index.ts': '',
      'graph/fields/roles.ts': "import '../roles/index.ts';",
    };
    expect(check(changes, { mayImport })).toEqual(['rooms in a circle: graph/roles -> graph/fields -> graph/roles']);
  });

  test('reports entries of the table that nothing needs, and files that are in no room', () => {
    expect(check({ 'http/send.ts': '', 'ops/index.ts': '' })).toEqual([
      'ops/index.ts is in no room',
      'http does not import errors.ts',
    ]);
  });

  test('reports side doors that no other room imports, or that are no files', () => {
    const changes = { 'graph/build.ts': "import { send } from '../http/send.ts';\nimport './types.ts';" };
    const sideDoors = new Set(['http/send.ts', 'graph/types.ts', 'http/gone.ts']);
    expect(check(changes, { sideDoors })).toEqual([
      'no other room imports the side door graph/types.ts',
      'no other room imports the side door http/gone.ts',
    ]);
  });

  test('reports a folder with too many files', () => {
    expect(check({ 'http/accept.ts': '', 'http/read.ts': '' })).toEqual(['http holds 4 files, more than 3']);
  });
});
