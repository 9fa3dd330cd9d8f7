import { completionScript, packageVersion, SHELLS } from '../../platform/command-line.ts';
import { COMMON_FLAGS, parseCommand, usageOf } from './arguments.ts';
import { DATABASE_COMMANDS, databaseSetupCommand, doctorCommand } from './catalogue.ts';
import { type Arguments, at, type Command, CommandError, type Outcome, UsageError } from './command.ts';

const NAME = 'portico-auth';

const completionCommand: Command = {
  name: 'completion',
  parameters: [`<${SHELLS.join('|')}>`],
  help: `Prints what completes commands and options in a shell: source <(${NAME} completion bash)`,
};

const commands: readonly Command[] = [
  ...DATABASE_COMMANDS.flatMap((group) => group.commands),
  databaseSetupCommand,
  doctorCommand,
  completionCommand,
];

function usage(): string {
  const lines = commands.flatMap((command) => [`  ${NAME} ${usageOf(command)}`, `      ${command.help}`]);
  return [
    'usage:',
    ...lines,
    `  ${NAME} --version`,
    '',
    '  <tenant> is its id or its name. --json prints results for programs. Passwords are typed or come on standard input.',
    '  The settings are the auth service’s. Exit codes: 0 done, 1 failed, 2 not written as above.',
    '',
  ].join('\n');
}

/** @returns the exit code. */
async function main(words: readonly string[]): Promise<number> {
  if (words.length === 0 || words[0] === '--help' || words[0] === 'help') {
    (words.length === 0 ? process.stderr : process.stdout).write(usage());
    return words.length === 0 ? 2 : 0;
  }
  if (words[0] === '--version') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  const { command, given } = parseCommand(words, commands);
  if (given.flags.has('help')) {
    process.stdout.write(`${NAME} ${usageOf(command)}\n    ${command.help}\n`);
    return 0;
  }
  if (command === completionCommand) {
    process.stdout.write(completionFor(at(given, 0)));
    return 0;
  }
  const outcome = await run(command, given);
  process.stdout.write(`${given.flags.has('json') ? JSON.stringify(outcome.json) : outcome.text}\n`);
  return outcome.failed ? 1 : 0;
}

/** Each command loads what it needs itself: the database's client alone takes longer than all that help needs. */
async function run(command: Command, given: Arguments): Promise<Outcome> {
  if (command === databaseSetupCommand) return (await import('./database-setup.ts')).databaseSetup(process.env);
  if (command === doctorCommand) return (await import('./doctor.ts')).doctor(process.env, given);
  const group = DATABASE_COMMANDS.find((one) => one.commands.includes(command));
  const runs = await group?.load();
  const runIt = runs?.[command.name];
  if (!runIt) throw new Error(`the command "${command.name}" is in the catalogue and nowhere else`);
  const { withContext } = await import('./open-context.ts');
  return withContext((context) => runIt(context, given));
}

function completionFor(written: string): string {
  const shell = SHELLS.find((known) => known === written);
  if (!shell) throw new UsageError(`expected one of ${SHELLS.join(', ')}`);
  return completionScript(
    shell,
    NAME,
    commands.map(({ name, options = [], flags = [] }) => ({
      name,
      options: [...options, ...flags, ...COMMON_FLAGS.filter((flag) => flag !== 'help')],
    })),
  );
}

function explain(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof UsageError) return { lines: [`${error.message}; ${NAME} --help tells how`], code: 2 };
  if (error instanceof CommandError) return { lines: [error.message], code: 1 };
  // By their names, because to load them for help would take longer than the help.
  if (error instanceof Error && error.name === 'StartError') return { lines: [error.message], code: 1 };
  if (error instanceof Error && error.name === 'SettingsError')
    return { lines: (error as Error & { problems: readonly string[] }).problems, code: 1 };
  return { lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)], code: 1 };
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    const { lines, code } = explain(error);
    for (const line of lines) process.stderr.write(`${NAME}: ${line}\n`);
    process.exitCode = code;
  },
);
