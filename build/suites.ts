import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folders whose TypeScript files import each other. */
const FOLDERS = [
  'auth-service',
  'bench',
  'build',
  'console',
  'deploy',
  'examples',
  'faults',
  'gateway',
  'platform',
  'start',
  'test',
];
const SUITE = /^test\/.*\.test\.ts$/;

/** Rough processor seconds of a suite, which decide what has room in a run of some seconds, and what begins first. */
const SUITE_COST = { plain: 0.5, database: 5, processes: 15, portico: 20, cluster: 60 };
const BUDGET = 24;

/** Suites that run with every change: small ones, of the parts that most requests pass. */
const QUICK = [
  'test/auth-service/config.test.ts',
  'test/gateway/graphql-over-http.test.ts',
  'test/gateway/operation/plans.test.ts',
  'test/gateway/session/token-locations.test.ts',
  'test/platform/settings.test.ts',
];

/** For each file of a package the files that it imports, as paths relative to `packageDir`. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export function importsOf(packageDir: string): Imports {
  const files = FOLDERS.flatMap((folder) => scriptsIn(packageDir, folder));
  return new Map(files.map((file) => [file, importedBy(file, readFileSync(join(packageDir, file), 'utf8'))]));
}

export interface ChosenSuites {
  /** What to run. */
  readonly chosen: readonly string[];
  /** Suites that import what has changed, and that there is no time for. */
  readonly left: readonly string[];
  /** Changed files that no suite imports. Suites may still use them: as compiled code, settings or data. */
  readonly unimported: readonly string[];
}

/**
 * Chooses what to run after a change: the changed suites, then those that import what has changed, the nearest first, until
 * the budget is spent, and the quick ones.
 *
 * @param changed paths relative to the package
 */
export function chooseSuites(imports: Imports, changed: readonly string[]): ChosenSuites {
  const related = suitesByDistance(imports, changed);
  const chosen: string[] = [];
  const left: string[] = [];
  let spent = 0;
  for (const suite of related) {
    const cost = expectedSeconds(imports, suite);
    if (changed.includes(suite) || spent + cost <= BUDGET) {
      chosen.push(suite);
      spent += cost;
    } else left.push(suite);
  }
  const quick = QUICK.filter((suite) => imports.has(suite) && !related.includes(suite));
  const unimported = changed.filter((file) => suitesByDistance(imports, [file]).length === 0);
  return { chosen: [...chosen, ...quick], left, unimported };
}

/** The suites that import one of `changed`, directly or not, those with the fewest files in between first. */
function suitesByDistance(imports: Imports, changed: readonly string[]): string[] {
  const importers = new Map<string, string[]>();
  for (const [file, imported] of imports)
    for (const one of imported) importers.set(one, [...(importers.get(one) ?? []), file]);
  // A Set keeps the order in which files were reached, and takes new ones while it is gone through.
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  return [...reached].filter((file) => SUITE.test(file) && imports.has(file));
}

/** The rooms of the product. What they start is theirs: a suite that imports them starts no process by that. */
const PRODUCT_ROOMS = /^(gateway|auth-service|platform)\//;

/** What starts processes: those of the product, and browsers. */
const STARTERS: ReadonlySet<string> = new Set(['node:child_process', 'playwright-core']);

/**
 * Whether a suite, or what it imports outside the product's rooms, imports what starts processes.
 *
 * @param suite its path relative to `packageDir`
 */
export function startsProcesses(packageDir: string, suite: string): boolean {
  const files = new Set([suite]);
  for (const file of files)
    for (const imported of importedBy(file, readFileSync(join(packageDir, file), 'utf8'))) {
      if (STARTERS.has(imported)) return true;
      if (!PRODUCT_ROOMS.test(imported)) files.add(imported);
    }
  return false;
}

/** How long a suite takes about, in processor seconds. It can be seen from the helpers that it imports. */
export function expectedSeconds(imports: Imports, suite: string): number {
  const helpers = new Set([suite]);
  for (const file of helpers)
    for (const imported of imports.get(file) ?? [])
      if (/^(test|start|faults|bench|deploy)\//.test(imported)) helpers.add(imported);
  if (helpers.has('faults/cluster/cluster.ts')) return SUITE_COST.cluster;
  if (helpers.has('test/e2e/portico.ts')) return SUITE_COST.portico;
  if ([...helpers].some((file) => imports.get(file)?.includes('node:child_process'))) return SUITE_COST.processes;
  return helpers.has('test/database/index.ts') ? SUITE_COST.database : SUITE_COST.plain;
}

/** What a file imports of the package, as paths from its top, and what starts processes. */
export function importedBy(file: string, source: string): string[] {
  const found = source.matchAll(
    /^(?:import|export|\})(?:.* from '(\.{1,2}\/[^']+\.tsx?)'|(?! type).* from '(node:child_process|playwright-core)')/gm,
  );
  return [...found].map(([, path, starter = '']) => (path === undefined ? starter : join(dirname(file), path)));
}

/** Paths relative to `packageDir`. */
function scriptsIn(packageDir: string, folder: string): string[] {
  return readdirSync(resolve(packageDir, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => join(folder, path));
}
