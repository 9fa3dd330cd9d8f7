import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../../../platform/command-line.ts';
import { emptyArgument, severalDirectories, unknownOption } from './errors.ts';

export const TEXT_OPTION = { type: 'string' } as const;
export const TEXTS_OPTION = { type: 'string', multiple: true } as const;
export const FLAG = { type: 'boolean', default: false } as const;

/** Runs a command with the arguments after its name. */
export type RunCommand = (words: readonly string[], environment: NodeJS.ProcessEnv) => Promise<void>;

/**
 * Rejects empty arguments. An empty text usually comes from an unset variable of a script. It would count as a missing
 * argument, and a command such as `check` would use the default directory.
 *
 * @throws UsageError
 */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  options: Options,
  words: readonly string[],
) {
  const parsed = parseArguments(options, words);
  if (parsed.positionals.includes('')) throw emptyArgument();
  const empty = Object.entries(parsed.values).find(([, value]) => [value].flat().includes(''));
  if (empty) throw emptyArgument(empty[0]);
  return parsed;
}

function parseArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
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
    throw unknownOption(message, written?.split('=', 1)[0] ?? '', known);
  }
}

function isKnown(word: string, options: object): boolean {
  return Object.hasOwn(options, word.slice(2).split('=', 1)[0] ?? '');
}

/** @throws UsageError */
export function givenDirectory([directory, ...others]: readonly string[]): string | undefined {
  if (others.length > 0) throw severalDirectories();
  return directory;
}
