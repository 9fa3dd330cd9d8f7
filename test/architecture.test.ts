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
  'access/assertions': 'access/session platform',
  'access/rate-limit': 'access/session errors.ts metadata platform',
  'access/session': 'errors.ts platform',
  'access/variables': 'platform',
  'access/session/authentication': 'access/session/jwt',
  'access/session/jwt': '',
  'config.ts': 'access/session graphql/schemas own-paths.ts platform settings upstream',
  'errors.ts': 'platform',
  'express-routes.ts':
    'access/assertions access/session errors.ts graph operations/monitoring own-paths.ts platform transports/http',
  graph:
    'access/session access/variables errors.ts graphql/introspection graphql/schemas graphql/syntax log-events.ts metadata planning/joins planning/supergraph platform sources upstream',
  'graph/generation': 'graph/joined graph/relationships',
  'graph/joined': 'graph/relationships',
  'graph/registry': 'graph/generation',
  'graph/relationships': '',
  'graphql/introspection': 'graphql/schemas graphql/syntax platform',
  'graphql/schemas': 'platform',
  'graphql/syntax': '',
  'hasura-settings.ts': 'platform',
  'jobs/cloud-events': 'errors.ts platform transports/http',
  'jobs/commands': 'errors.ts jobs/engine platform',
  'jobs/cron': '',
  'jobs/deliveries':
    'access/session errors.ts jobs/cloud-events jobs/engine metadata platform transports/http webhooks/calls webhooks/jobs',
  'jobs/engine': 'errors.ts platform',
  'jobs/engine/database': '',
  'jobs/progress': 'errors.ts jobs/engine platform transports/http',
  'jobs/schedules': 'errors.ts jobs/engine metadata platform upstream webhooks/calls webhooks/jobs webhooks/kriti',
  'log-events.ts': '',
  'main.ts': 'operations/cli process',
  metadata: 'access/variables graphql/syntax jobs/cron own-paths.ts own-secrets.ts platform webhooks/kriti',
  'metadata/actions': 'metadata/shapes metadata/yaml',
  'metadata/shapes': 'metadata/yaml',
  'metadata/triggers': 'metadata/actions metadata/shapes',
  'metadata/warnings': 'metadata/actions metadata/yaml',
  'metadata/yaml': '',
  'operations/check':
    'access/session config.ts graph graphql/schemas hasura-settings.ts metadata operations/usage platform',
  'operations/cli':
    'access/assertions access/session config.ts graph graphql/schemas jobs/deliveries jobs/engine jobs/schedules metadata operations/check operations/codegen operations/handler-calls operations/insight operations/usage platform process sources upstream',
  'operations/codegen': 'metadata platform',
  'operations/handler-calls': 'access/assertions access/session config.ts metadata platform sources upstream',
  'operations/insight': 'access/session errors.ts graph graphql/schemas metadata operations/check platform sources',
  'operations/metadata-api': 'access/session errors.ts graph graphql/schemas metadata platform transports/http',
  'operations/monitoring': 'access/session errors.ts graph platform transports/http upstream',
  'operations/replicas': 'platform',
  'operations/usage': 'platform transports/http',
  'own-paths.ts': '',
  'own-secrets.ts': '',
  pipeline:
    'access/rate-limit access/session access/variables errors.ts graph graphql/introspection graphql/syntax metadata operations/replicas operations/usage platform sources transports/http upstream',
  'pipeline/document': '',
  'pipeline/plan': 'pipeline/document pipeline/response',
  'pipeline/response': '',
  'pipeline/validation': 'pipeline/document pipeline/response',
  'planning/composition': 'graphql/schemas graphql/syntax planning/joins planning/supergraph platform',
  'planning/joins': 'errors.ts graphql/syntax planning/supergraph platform',
  'planning/joins/execute': 'planning/joins/plan planning/joins/response planning/joins/sharing',
  'planning/joins/plan': '',
  'planning/joins/response': 'planning/joins/plan',
  'planning/joins/sharing': 'planning/joins/plan planning/joins/response',
  'planning/supergraph': 'graphql/syntax',
  'portico.mjs': 'build/compile.mjs build/node-version.mjs build/packages.mjs',
  process:
    'access/assertions access/rate-limit access/session config.ts errors.ts graph hasura-settings.ts jobs/commands jobs/deliveries jobs/engine jobs/progress jobs/schedules metadata operations/insight operations/monitoring operations/replicas operations/usage pipeline planning/joins platform server.ts sources transports/console transports/http transports/rest transports/subscriptions upstream',
  'process/metrics': '',
  'server.ts':
    'access/assertions access/session errors.ts express-routes.ts graph operations/metadata-api operations/monitoring own-paths.ts platform transports/console transports/graphql-http transports/home transports/http transports/rest transports/subscriptions',
  settings: 'access/assertions access/session own-secrets.ts platform transports/home webhooks/calls',
  sources:
    'access/assertions access/session access/variables errors.ts graphql/schemas graphql/syntax jobs/engine metadata planning/composition planning/joins planning/supergraph platform upstream webhooks/calls webhooks/kriti',
  'sources/actions': '',
  'sources/actions/webhook': '',
  'sources/customization': '',
  'sources/federation': 'sources/customization sources/permissions sources/remote-schema sources/transforms',
  'sources/opening':
    'sources/customization sources/federation sources/permissions sources/remote-schema sources/stitching sources/transforms',
  'sources/permissions': '',
  'sources/remote-schema': '',
  'sources/stitching': 'sources/permissions sources/remote-schema sources/transforms',
  'sources/transforms': 'sources/customization sources/permissions',
  'transports/console': 'access/session errors.ts graph pipeline platform transports/home transports/http',
  'transports/graphql-http': 'access/session errors.ts pipeline platform sources transports/http',
  'transports/home': 'errors.ts graph platform transports/http',
  'transports/http': 'errors.ts platform',
  'transports/rest':
    'access/assertions access/session errors.ts graph graphql/schemas graphql/syntax metadata pipeline platform sources transports/http upstream',
  'transports/rest/openapi': '',
  'transports/rest/page': '',
  'transports/rest/pass-through': '',
  'transports/subscriptions':
    'access/session errors.ts pipeline platform sources transports/graphql-http transports/http',
  upstream: 'platform',
  'upstream/interceptors': 'upstream/resilience',
  'upstream/resilience': '',
  'webhooks/calls': 'metadata platform webhooks/kriti',
  'webhooks/jobs': 'access/session jobs/engine metadata platform sources upstream webhooks/calls',
  'webhooks/kriti': 'access/variables',
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
    'build/pictures': ['bench'],
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
    'gateway/operations/cli/main.ts',
    'gateway/jobs/engine/job.ts',
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
