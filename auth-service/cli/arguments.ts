import { parseArgs } from 'node:util';
import { commandSuggestion } from '../../platform/command-line.ts';
import type { Command, CommandArguments } from './command.ts';
import { extraArgument, invalidOptionValue, missingArgument, unknownCommand, unknownOption } from './errors.ts';

/** The parsed arguments of a command. */
export interface Parsed<Known extends Command> {
  readonly command: Known;
  readonly given: CommandArguments;
}

/** Options that every command has. */
export const COMMON_FLAGS = ['json', 'help'];

/**
 * Finds the command that the first words name, and parses the rest by its parameters and options.
 *
 * @throws UsageError without any value in its message, since a password may be in the wrong place.
 */
export function parseCommand<Known extends Command>(
  words: readonly string[],
  commands: readonly Known[],
): Parsed<Known> {
  const command = commands.find(({ name }) => {
    const parts = name.split(' ');
    return parts.every((part, index) => words[index] === part);
  });
  if (!command) throw unknownCommand(suggestedCommand(words, commands));
  const flags = [...(command.flags ?? []), ...COMMON_FLAGS];
  const { values, positionals } = parseOptions(
    words.slice(command.name.split(' ').length),
    command.options ?? [],
    flags,
  );
  const given = {
    positionals,
    options: Object.fromEntries((command.options ?? []).map((name) => [name, values[name] as string[] | undefined])),
    flags: new Set(flags.filter((name) => values[name] === true)),
  };
  if (!given.flags.has('help')) checkCount(command, positionals.length);
  return { command, given };
}

function parseOptions(args: readonly string[], options: readonly string[], flags: readonly string[]) {
  const withValue = options.map((name) => [name, { type: 'string', multiple: true }] as const);
  const without = flags.map((name) => [name, { type: 'boolean' }] as const);
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries<{ type: 'string'; multiple: true } | { type: 'boolean' }>([...withValue, ...without]),
      allowPositionals: true,
    });
  } catch (error) {
    const { code } = error as { code?: string };
    const isValue = code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE';
    throw isValue ? invalidOptionValue() : unknownOption(suggestedOption(args, [...options, ...flags]));
  }
}

/** Returns suggestions for unknown words. A command of two words is also found by either of them. */
function suggestedCommand(words: readonly string[], commands: readonly Command[]): string {
  const known = commands.map(({ name }) => name);
  return commandSuggestion(words.slice(0, 2).join(' '), known) || commandSuggestion(words[0] ?? '', known);
}

function suggestedOption(args: readonly string[], known: readonly string[]): string {
  const names = args.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=', 1)[0] ?? '');
  const unknown = names.find((name) => name !== '' && !known.includes(name));
  return unknown === undefined
    ? ''
    : commandSuggestion(
        `--${unknown}`,
        known.map((name) => `--${name}`),
      );
}

function checkCount({ parameters, optional = 0 }: Command, count: number): void {
  const repeats = parameters.at(-1)?.endsWith('...') ?? false;
  if (count < parameters.length - optional) throw missingArgument();
  if (count > parameters.length && !repeats) throw extraArgument();
}

/** Returns one line with the syntax of a command. */
export function usageOf({ name, parameters, optional = 0, options = [], flags = [] }: Command): string {
  const required = parameters.length - optional;
  const words = parameters.map((parameter, index) => (index < required ? parameter : `[${parameter}]`));
  const withValue = options.map((option) => `[--${option} <${option}>]`);
  return [name, ...words, ...withValue, ...flags.map((flag) => `[--${flag}]`)].join(' ');
}
