import {
  type CommandWords,
  completionScript,
  packageVersion,
  SHELLS,
  UsageError,
  unknownShell,
} from '../../../platform/command-line.ts';
import { withSetting } from '../../../platform/settings/setting-text.ts';
import { ACTIONS_OPTIONS, ACTIONS_RUNS, unknownActionsCommand } from './actions/actions-commands.ts';
import { FLAG, givenDirectory, type RunCommand, readArguments, TEXT_OPTION, TEXTS_OPTION } from './arguments.ts';
import { readCommandSettings } from './command-settings.ts';
import {
  commandExpected,
  comparisonMissing,
  invalidSince,
  limitNotANumber,
  limitTooGreat,
  severalKindsOfMetadata,
  unknownCommand,
  unknownJobsCommand,
  usageDirectoryExpected,
  usageOptionMissing,
} from './errors.ts';
import { ACTIONS_HELP, HELP, helpOf } from './help.ts';

const COMMAND_OPTIONS = {
  check: {
    against: TEXT_OPTION,
    hasura: TEXT_OPTION,
    'admin-secret': TEXT_OPTION,
    schemas: TEXT_OPTION,
    record: TEXT_OPTION,
    usage: TEXTS_OPTION,
    since: TEXT_OPTION,
    'allow-unused': FLAG,
    json: FLAG,
  },
  usage: {
    since: TEXT_OPTION,
    client: TEXT_OPTION,
    operation: TEXT_OPTION,
    role: TEXT_OPTION,
    field: TEXT_OPTION,
    unused: TEXT_OPTION,
    schemas: TEXT_OPTION,
    limit: TEXT_OPTION,
    json: FLAG,
  },
  serve: { workers: TEXT_OPTION },
  jobs: {
    state: TEXTS_OPTION,
    kind: TEXT_OPTION,
    queue: TEXT_OPTION,
    tenant: TEXT_OPTION,
    before: TEXT_OPTION,
    limit: TEXT_OPTION,
    payload: FLAG,
    json: FLAG,
  },
  ...ACTIONS_OPTIONS,
  init: { bare: FLAG, 'with-login': FLAG, 'with-sample': FLAG },
  completion: {},
} as const;

type CommandName = keyof typeof COMMAND_OPTIONS;

const COMMANDS = Object.keys(COMMAND_OPTIONS) as CommandName[];
/** The first words of the commands. */
const FIRST_WORDS = [...new Set(COMMANDS.map((name) => name.split(' ', 1)[0] ?? name))];

async function main(given: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const [name] = given;
  if (name === undefined) throw commandExpected(FIRST_WORDS);
  if (name === '--help' || name === 'help') return void process.stdout.write(HELP);
  if (name === '--version') return void process.stdout.write(`${packageVersion()}\n`);
  if (name === 'actions' && given[1] === '--help') return void process.stdout.write(ACTIONS_HELP);
  const { command, words } = commandIn(given);
  if (!command) throw name === 'actions' ? unknownActionsCommand(given[1] ?? '') : unknownCommand(name, FIRST_WORDS);
  if (words.includes('--help')) return void process.stdout.write(helpOf(command));
  // Each command loads what it needs, so that help and usage errors do not load the gateway.
  await RUNS[command](words, environment);
}

/** Returns the command that the arguments name, by one word or two, and the arguments after it. */
function commandIn(given: readonly string[]): { command: CommandName | undefined; words: readonly string[] } {
  const command = COMMANDS.find((known) => known === given[0] || known === `${given[0]} ${given[1]}`);
  return { command, words: given.slice(command?.includes(' ') ? 2 : 1) };
}

const RUNS: Readonly<Record<CommandName, RunCommand>> = {
  async check(words, environment) {
    const { values, positionals } = readArguments(COMMAND_OPTIONS.check, words);
    const given = givenDirectory(positionals);
    const { HASURA_GRAPHQL_METADATA_DIR: location, HASURA_GRAPHQL_UNAUTHORIZED_ROLE: publicRole } = readCommandSettings(
      given === undefined ? environment : withSetting(environment, 'HASURA_GRAPHQL_METADATA_DIR', given),
      ['HASURA_GRAPHQL_METADATA_DIR', 'HASURA_GRAPHQL_UNAUTHORIZED_ROLE'],
    );
    const { check } = await import('./check.ts');
    const { schemas, record, against, hasura, 'admin-secret': adminSecret, json } = values;
    const usage = await usageOfCheck(values);
    const options = { location, environment, publicRole, schemas, record, against, hasura, adminSecret, json, usage };
    process.exitCode = await check(options, (text) => process.stdout.write(`${text}\n`));
  },

  async usage(words, environment) {
    const { values, positionals } = readArguments(COMMAND_OPTIONS.usage, words);
    const given = positionals.length > 0;
    const { PORTICO_USAGE_DIR: usageDirectory, HASURA_GRAPHQL_UNAUTHORIZED_ROLE: publicRole } = readCommandSettings(
      given ? withSetting(environment, 'PORTICO_USAGE_DIR', '') : environment,
      ['PORTICO_USAGE_DIR', 'HASURA_GRAPHQL_UNAUTHORIZED_ROLE'],
    );
    if (!given && usageDirectory === '') throw usageDirectoryExpected();
    const paths = given ? positionals : [usageDirectory];
    const { since: written, client, operation, role, field, unused, schemas, limit = '50', json } = values;
    if (!/^[1-9]\d{0,8}$/.test(limit)) throw limitNotANumber();
    const since = written === undefined ? undefined : await parseTime(written);
    const { usage } = await import('./usage/usage.ts');
    const filter = { client, operation, role, field };
    await usage(
      { ...filter, paths, since, unused, schemas, limit: Number(limit), json, environment, publicRole },
      (text) => process.stdout.write(`${text}\n`),
    );
  },

  async serve(words, environment) {
    const { values, positionals } = readArguments(COMMAND_OPTIONS.serve, words);
    const settings = { HASURA_GRAPHQL_METADATA_DIR: givenDirectory(positionals), PORTICO_WORKERS: values.workers };
    const { serve } = await import('../../process/index.ts');
    serve(
      Object.entries(settings).reduce(
        (changed, [name, value]) => (value === undefined ? changed : withSetting(changed, name, value)),
        environment,
      ),
    );
  },

  async jobs(words, environment) {
    const { values, positionals } = readArguments(COMMAND_OPTIONS.jobs, words);
    const [name, ...ids] = positionals;
    const { JOB_COMMANDS, JobsUsageError, jobs } = await import('./jobs/jobs.ts');
    const command = JOB_COMMANDS.find((known) => known === name);
    if (!command) throw unknownJobsCommand(name ?? '', JOB_COMMANDS);
    const { state: states, kind, queue, tenant, before: written, limit = '100', payload, json } = values;
    if (!/^[1-9]\d{0,3}$/.test(limit)) throw limitTooGreat(9_999);
    const before = written === undefined ? undefined : await parseTime(written);
    const narrowed = { states, kind, queue, tenant, before: before === undefined ? undefined : new Date(before) };
    try {
      process.exitCode = await jobs(
        { command, ids, ...narrowed, limit: Number(limit), payload, json, environment },
        (text) => process.stdout.write(`${text}\n`),
      );
    } catch (error) {
      if (error instanceof JobsUsageError) throw new UsageError(error.message);
      throw error;
    }
  },

  ...ACTIONS_RUNS,

  async init(words, environment) {
    const { values, positionals } = readArguments(COMMAND_OPTIONS.init, words);
    const asked = { bare: values.bare, login: values['with-login'], sample: values['with-sample'] };
    const kinds = (['bare', 'login', 'sample'] as const).filter((kind) => asked[kind]);
    if (kinds.length > 1) throw severalKindsOfMetadata();
    const given = givenDirectory(positionals);
    const location =
      given ?? readCommandSettings(environment, ['HASURA_GRAPHQL_METADATA_DIR']).HASURA_GRAPHQL_METADATA_DIR;
    const { askForKind, init, nextSteps } = await import('./init.ts');
    const kind = kinds[0] ?? (process.stdin.isTTY && process.stderr.isTTY ? await askForKind() : 'bare');
    for (const file of init(location, kind)) process.stdout.write(`${file}\n`);
    process.stderr.write(nextSteps(location, kind));
  },

  async completion(words) {
    const [written, ...others] = readArguments(COMMAND_OPTIONS.completion, words).positionals;
    const shell = SHELLS.find((known) => known === written);
    if (!shell || others.length > 0) throw unknownShell();
    const commands: CommandWords[] = COMMANDS.map((name) => ({
      name,
      options: Object.keys(COMMAND_OPTIONS[name]),
      values: name === 'completion' ? SHELLS : [],
    }));
    process.stdout.write(completionScript(shell, 'portico', commands));
  },
};

interface UsageOptionsOfCheck {
  readonly usage?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly against?: string | undefined;
  readonly 'allow-unused': boolean;
}

/** @throws UsageError. @throws StartError if usage cannot be read. */
async function usageOfCheck({
  usage: paths,
  since: written,
  against,
  'allow-unused': allowUnused,
}: UsageOptionsOfCheck) {
  if (!paths) {
    if (written !== undefined || allowUnused) throw usageOptionMissing();
    return undefined;
  }
  if (against === undefined) throw comparisonMissing();
  const now = Date.now();
  const since = await parseTime(written ?? '30d', now);
  const { readUsage } = await import('../usage/index.ts');
  return { usage: readUsage(paths, since), since, now, allowUnused };
}

/** @throws UsageError */
async function parseTime(written: string, now = Date.now()): Promise<number> {
  const { parseSince } = await import('./usage/since.ts');
  const time = parseSince(written, now);
  if (time === undefined) throw invalidSince();
  return time;
}

main(process.argv.slice(2), process.env).catch(async (error) => {
  if (error instanceof UsageError) {
    // The complete help would scroll the message out of a terminal.
    const { command } = commandIn(process.argv.slice(2));
    const help = command ? helpOf(command) : 'usage: portico <command>; run "portico --help" for all commands\n';
    process.stderr.write(`portico: ${error.message}\n${help}`);
    process.exitCode = 2;
    return;
  }
  const { fail } = await import('../../../platform/index.ts');
  const { asStartError } = await import('../../metadata/index.ts');
  fail('portico', asStartError(error, 'the metadata is not valid:'));
});
