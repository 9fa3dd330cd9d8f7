import { SettingsError, StartError } from '../../platform/index.ts';
import { parseCommand, usageOf } from './arguments.ts';
import { type Command, CommandError, type DatabaseCommand, type Outcome, UsageError } from './command.ts';
import { auditCommands } from './commands/audit.ts';
import { clientCommands } from './commands/client.ts';
import { keyCommands } from './commands/key.ts';
import { pepperCommands } from './commands/pepper.ts';
import { sessionCommands } from './commands/session.ts';
import { tenantCommands } from './commands/tenant.ts';
import { userCommands } from './commands/user.ts';
import { databaseSetup, databaseSetupCommand } from './database-setup.ts';
import { doctor, doctorCommand } from './doctor.ts';
import { withContext } from './open-context.ts';

const NAME = 'portico-auth';

const databaseCommands: readonly DatabaseCommand[] = [
  ...tenantCommands,
  ...userCommands,
  ...sessionCommands,
  ...clientCommands,
  ...keyCommands,
  ...pepperCommands,
  ...auditCommands,
];
const commands: readonly Command[] = [...databaseCommands, databaseSetupCommand, doctorCommand];

function usage(): string {
  const lines = commands.flatMap((command) => [`  ${NAME} ${usageOf(command)}`, `      ${command.help}`]);
  return [
    'usage:',
    ...lines,
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
  const { command, given } = parseCommand(words, commands);
  if (given.flags.has('help')) {
    process.stdout.write(`${NAME} ${usageOf(command)}\n    ${command.help}\n`);
    return 0;
  }
  const inDatabase = databaseCommands.find(({ name }) => name === command.name);
  let outcome: Outcome;
  if (inDatabase) outcome = await withContext((context) => inDatabase.run(context, given));
  else if (command.name === databaseSetupCommand.name) outcome = await databaseSetup(process.env);
  else outcome = await doctor(process.env, given);
  process.stdout.write(`${given.flags.has('json') ? JSON.stringify(outcome.json) : outcome.text}\n`);
  return outcome.failed ? 1 : 0;
}

function explain(error: unknown): { lines: readonly string[]; code: number } {
  if (error instanceof UsageError) return { lines: [`${error.message}; ${NAME} --help tells how`], code: 2 };
  if (error instanceof CommandError || error instanceof StartError) return { lines: [error.message], code: 1 };
  if (error instanceof SettingsError) return { lines: error.problems, code: 1 };
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
