import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadMetadata } from '../../../gateway/metadata/index.ts';
import {
  type CodegenTarget,
  generatedFiles,
  handlerModel,
  type ScalarJson,
  writeGenerated,
} from '../../../gateway/operations/codegen/index.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

export interface ActionSources {
  readonly sdl: string;
  /** The definitions of the actions by name, besides the handler. */
  readonly actions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly comments?: Readonly<Record<string, string>>;
}

/** The files of a metadata directory with these actions. */
export function actionFiles({ sdl, actions, comments = {} }: ActionSources): Readonly<Record<string, unknown>> {
  return {
    'actions.graphql': sdl,
    'actions.yaml': {
      actions: Object.entries(actions).map(([name, definition]) => ({
        name,
        ...(comments[name] !== undefined && { comment: comments[name] }),
        definition: { handler: 'http://127.0.0.1:4020', ...definition },
        permissions: [{ role: 'user' }],
      })),
      custom_types: {},
    },
  };
}

/** Generates code for a metadata directory into a new directory. */
export function generate(
  metadata: string,
  target: CodegenTarget,
  { onlyTypes = false, scalars }: { onlyTypes?: boolean; scalars?: ReadonlyMap<string, ScalarJson> } = {},
) {
  const path = mkdtempSync(join(tmpdir(), `portico-codegen-${target}-`));
  const model = handlerModel(loadMetadata(metadata, { hasJobsDatabase: true }), scalars);
  const written = writeGenerated(path, generatedFiles(model, target, onlyTypes), false);
  symlinkSync(MODULES, join(path, 'node_modules'));
  return { path, written, close: () => rmSync(path, { recursive: true, force: true }) };
}

/** Compiles all TypeScript of a directory into `js/`, as strictly as the compiler can. Returns the problems. */
export function typeProblems(path: string): readonly string[] {
  const tsconfig = {
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noImplicitReturns: true,
      noPropertyAccessFromIndexSignature: true,
      noUnusedLocals: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
      skipLibCheck: true,
      rootDir: '.',
      outDir: 'js',
      target: 'es2022',
      lib: ['es2022'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(MODULES, '@types')],
    },
    include: ['*.ts'],
  };
  writeFileSync(join(path, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(tsconfig));
  return runIn(path, process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', '.'])
    .output.split('\n')
    .filter(Boolean);
}

/** Runs a command in a directory. Returns its exit code and everything that it printed. */
export function runIn(path: string, command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: path,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });
  return { status, output: stdout + stderr };
}
