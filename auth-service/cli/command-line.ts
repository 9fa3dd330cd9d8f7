import {
  completionScript,
  packageVersion,
  SHELLS,
  sourcePositions,
  unknownShell,
} from '../../platform/command-line.ts';
import { COMMON_FLAGS, parseCommand, usageOf } from './arguments.ts';
import { COMMAND_GROUPS, loadCommand } from './catalogue.ts';
import { type Command, type CommandProcess, positionalAt } from './command.ts';
import { CommandError, UsageError } from './errors.ts';
import { printableJson } from './print.ts';

const PROGRAM_NAME = 'portico-auth';

const completionCommand: Command = {
  name: 'completion',
  parameters: [`<${SHELLS.join('|')}>`],
  help:
    `Prints a completion script for a shell. bash and zsh: source <(${PROGRAM_NAME} completion bash), with your shell’s name. fish: ` +
    `${PROGRAM_NAME} completion fish | source`,
};

const commands: readonly Command[] = [...COMMAND_GROUPS.flatMap((group) => group.commands), completionCommand];

function usageOfAll(): string {
  const lines = commands.flatMap((command) => [`  ${PROGRAM_NAME} ${usageOf(command)}`, `      ${command.help}`]);
  return [
    'usage:',
    ...lines,
    `  ${PROGRAM_NAME} --version`,
    '',
    '  <tenant> is the id or the name of a tenant. --json prints machine-readable results. Passwords are typed or read from standard input.',
    '  The settings are the same as for the auth service. Exit codes: 0 success, 1 failure, 2 usage error.',
    '',
  ].join('\n');
}

/** Runs a command line, prints the result, and returns the exit code. */
export async function runCommandLine(words: readonly string[], process: CommandProcess): Promise<number> {
  try {
    return await runCommand(words, process);
  } catch (error) {
    const { lines, code } = explainFailure(error);
    for (const line of lines) process.stderr.write(`${PROGRAM_NAME}: ${line}\n`);
    return code;
  }
}

async function runCommand(words: readonly string[], process: CommandProcess): Promise<number> {
  if (words.length === 0 || words[0] === '--help' || words[0] === 'help') {
    (words.length === 0 ? process.stderr : process.stdout).write(usageOfAll());
    return words.length === 0 ? 2 : 0;
  }
  if (words[0] === '--version') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  const { command, given } = parseCommand(words, commands);
  if (given.flags.has('help')) {
    process.stdout.write(`${PROGRAM_NAME} ${usageOf(command)}\n    ${command.help}\n`);
    return 0;
  }
  if (command === completionCommand) {
    process.stdout.write(completionFor(positionalAt(given, 0)));
    return 0;
  }
  // Each command loads what it needs. The database client alone takes longer to load than everything for the help.
  const run = await loadCommand(command);
  const outcome = await run(process, given);
  process.stdout.write(`${given.flags.has('json') ? printableJson(outcome.json) : outcome.text}\n`);
  return outcome.failed ? 1 : 0;
}

function completionFor(written: string): string {
  const shell = SHELLS.find((known) => known === written);
  if (!shell) throw unknownShell();
  return completionScript(
    shell,
    PROGRAM_NAME,
    commands.map((command) => {
      const { name, options = [], flags = [] } = command;
      return {
        name,
        options: [...options, ...flags, ...COMMON_FLAGS.filter((flag) => flag !== 'help')],
        values: command === completionCommand ? SHELLS : [],
      };
    }),
  );
}

function explainFailure(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof UsageError) return miswritten(error.message);
  if (error instanceof CommandError) return { lines: [error.message], code: 1 };
  // Recognized by name, since loading the class would delay the help.
  if (error instanceof Error && error.name === 'AdministrationError') {
    const isMiswritten = (error as Error & { code: string }).code.endsWith('-field');
    // The message is a full sentence, but here it follows the program's name.
    const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
    return isMiswritten ? miswritten(message) : { lines: [message], code: 1 };
  }
  if (error instanceof Error && error.name === 'StartError') return { lines: [error.message], code: 1 };
  if (error instanceof Error && error.name === 'SettingsError')
    return { lines: (error as Error & { problems: readonly string[] }).problems, code: 1 };
  return { lines: [error instanceof Error ? sourcePositions()(error.stack ?? error.message) : String(error)], code: 1 };
}

function miswritten(message: string) {
  return { lines: [`${message}; run "${PROGRAM_NAME} --help" for a list of commands`], code: 2 };
}
