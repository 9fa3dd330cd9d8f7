import { commandSuggestion, UsageError } from '../../../platform/command-line.ts';

/** @param commands the existing commands. */
export function commandExpected(commands: readonly string[]): UsageError {
  return new UsageError(`expected a command: ${commands.join(', ')}`);
}

/** @param commands the existing commands, for a suggestion. */
export function unknownCommand(name: string, commands: readonly string[]): UsageError {
  return new UsageError(`unknown command "${name}"${commandSuggestion(name, commands)}`);
}

/** @param commands of `portico jobs`. */
export function unknownJobsCommand(name: string, commands: readonly string[]): UsageError {
  return new UsageError(`jobs: expected a command: ${commands.join(', ')}${commandSuggestion(name, commands)}`);
}

/**
 * Reports an unknown option of a command.
 *
 * @param message of Node.js's parser, whose first sentence names the option.
 * @param options of the command, for a suggestion.
 */
export function unknownOption(message: string, written: string, options: readonly string[]): UsageError {
  return new UsageError(`${message.split('. ', 1)[0]}${commandSuggestion(written, options)}`);
}

export function usageDirectoryExpected(): UsageError {
  return new UsageError('expected a directory of usage files, or PORTICO_USAGE_DIR');
}

export function limitNotANumber(): UsageError {
  return new UsageError('--limit: expected a number');
}

export function limitTooGreat(most: number): UsageError {
  return new UsageError(`--limit: expected a number up to ${most}`);
}

export function severalKindsOfMetadata(): UsageError {
  return new UsageError('expected only one of --bare, --with-login, --with-sample');
}

export function usageOptionMissing(): UsageError {
  return new UsageError('--since and --allow-unused require --usage');
}

export function comparisonMissing(): UsageError {
  return new UsageError('--usage requires --against with the metadata to compare with');
}

export function invalidSince(): UsageError {
  return new UsageError('--since: expected a time such as 30d, 12h, 15m or 2026-01-31');
}

export function severalDirectories(): UsageError {
  return new UsageError('expected at most one directory');
}

/** @param option undefined for a positional argument. */
export function emptyArgument(option?: string): UsageError {
  return new UsageError(`${option === undefined ? 'an argument' : `--${option}`} is empty: expected a value`);
}

/** @param commands of `portico actions`. */
export function unknownActionsCommand(name: string, commands: readonly string[]): UsageError {
  return new UsageError(`actions: expected a command: ${commands.join(', ')}${commandSuggestion(name, commands)}`);
}

export function actionNameExpected(): UsageError {
  return new UsageError('try: expected the name of an action, and at most one directory');
}

/** @param known the possible values. */
export function unknownChoice(option: string, written: string, known: readonly string[]): UsageError {
  return new UsageError(`--${option}: expected one of ${known.join(', ')}${commandSuggestion(written, known)}`);
}

export function invalidAssignment(option: string, example: string): UsageError {
  return new UsageError(`--${option}: expected a name and a value, such as ${example}`);
}

export function inputNotAnObject(): UsageError {
  return new UsageError('--input: expected a JSON object, such as {"id":"7"}');
}
