import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  type CommandWords,
  completionScript,
  packageVersion,
  SHELLS,
  suggestion,
} from '../../platform/command-line.ts';

const USAGE = `usage:
  portico check [dir] [--against <dir|git ref>] [--hasura <url> [--admin-secret <secret>]] [--schemas <dir>]
                [--record <dir>] [--json]
      Checks metadata without serving it. --schemas uses recorded schemas in place of asking the services, --record
      writes them, --against tells what changes for clients, --hasura what is different from a live Hasura, for each role;
      its admin secret may be in HASURA_GRAPHQL_ADMIN_SECRET. Exit code 1 when something is wrong or would break.
  portico serve [dir] [--workers <number>]
      Serves metadata. The settings are the environment's, as the README lists them; --workers goes before
      PORTICO_WORKERS.
  portico init [dir] [--bare | --with-login | --with-sample]
      Writes metadata to start from: examples in comments alone, the login of Portico's accounts too, or the sample service
      as well. Asks which on a terminal; otherwise --bare is the default.
  portico completion <${SHELLS.join('|')}>
      Prints what completes commands and options in a shell: source <(portico completion bash)
  portico --version
  dir is $HASURA_GRAPHQL_METADATA_DIR or ./metadata when it is not given.
  Exit codes: 0 done, 1 failed, 2 not written as above.
`;

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean', default: false } as const;

const OPTIONS = {
  check: { against: TEXT, hasura: TEXT, 'admin-secret': TEXT, schemas: TEXT, record: TEXT, json: FLAG },
  serve: { workers: TEXT },
  init: { bare: FLAG, 'with-login': FLAG, 'with-sample': FLAG },
  completion: {},
} as const;

type CommandName = keyof typeof OPTIONS;

const COMMANDS = Object.keys(OPTIONS) as CommandName[];

/** A command that is not written as it should be. */
class UsageError extends Error {}

/** @throws UsageError */
function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  words: readonly string[],
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError(message);
    const written = words.find((word) => /^--?[^=]/.test(word) && !isKnown(word, options));
    const known = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(`${message.split('. ', 1)[0]}${suggestion(written?.split('=', 1)[0] ?? '', known)}`);
  }
}

function isKnown(word: string, options: object): boolean {
  return Object.hasOwn(options, word.slice(2).split('=', 1)[0] ?? '');
}

async function main([name, ...words]: readonly string[]): Promise<void> {
  if (name === undefined) throw new UsageError(`expected ${COMMANDS.join(', ')}`);
  if (name === '--help' || name === 'help') return void process.stdout.write(USAGE);
  if (name === '--version') return void process.stdout.write(`${packageVersion()}\n`);
  const command = COMMANDS.find((known) => known === name);
  if (!command) throw new UsageError(`unknown command "${name}"${suggestion(name, COMMANDS)}`);
  if (words.includes('--help')) return void process.stdout.write(USAGE);
  // Each loads what it needs itself: help and mistakes need no gateway.
  await RUNS[command](words);
}

const RUNS: Readonly<Record<CommandName, (words: readonly string[]) => Promise<void>>> = {
  async check(words) {
    const { values, positionals } = readArguments(OPTIONS.check, words);
    const location = locationOf(positionals);
    const environment = process.env;
    const { check } = await import('./check.ts');
    const publicRole = environment.HASURA_GRAPHQL_UNAUTHORIZED_ROLE || 'anonymous';
    const { schemas, record, against, hasura, 'admin-secret': adminSecret, json } = values;
    const options = { location, environment, publicRole, schemas, record, against, hasura, adminSecret, json };
    process.exitCode = await check(options, (text) => process.stdout.write(`${text}\n`));
  },

  async serve(words) {
    const { values, positionals } = readArguments(OPTIONS.serve, words);
    const location = locationOf(positionals);
    const { serve } = await import('../serve.ts');
    const { workers } = values;
    serve({
      ...process.env,
      HASURA_GRAPHQL_METADATA_DIR: location,
      ...(workers !== undefined && { PORTICO_WORKERS: workers }),
    });
  },

  async init(words) {
    const { values, positionals } = readArguments(OPTIONS.init, words);
    const asked = { bare: values.bare, login: values['with-login'], sample: values['with-sample'] };
    const kinds = (['bare', 'login', 'sample'] as const).filter((kind) => asked[kind]);
    if (kinds.length > 1) throw new UsageError('expected one of --bare, --with-login, --with-sample');
    const location = locationOf(positionals);
    const { askForKind, init, nextSteps } = await import('./init.ts');
    const kind = kinds[0] ?? (process.stdin.isTTY && process.stderr.isTTY ? await askForKind() : 'bare');
    for (const file of init(location, kind)) process.stdout.write(`${file}\n`);
    process.stderr.write(nextSteps(location, kind));
  },

  async completion(words) {
    const [written, ...others] = readArguments(OPTIONS.completion, words).positionals;
    const shell = SHELLS.find((known) => known === written);
    if (!shell || others.length > 0) throw new UsageError(`expected one of ${SHELLS.join(', ')}`);
    const commands: CommandWords[] = COMMANDS.map((name) => ({ name, options: Object.keys(OPTIONS[name]) }));
    process.stdout.write(completionScript(shell, 'portico', commands));
  },
};

/** @throws UsageError */
function locationOf([directory, ...others]: readonly string[]): string {
  if (others.length > 0) throw new UsageError('expected one directory at most');
  // An empty variable counts as unset, as everywhere.
  return directory ?? (process.env.HASURA_GRAPHQL_METADATA_DIR || 'metadata');
}

main(process.argv.slice(2)).catch(async (error) => {
  if (error instanceof UsageError) {
    process.stderr.write(`portico: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const { fail } = await import('../../platform/index.ts');
  fail('portico', error);
});
