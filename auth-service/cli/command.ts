import type { Author } from '../audit/index.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { Bcrypt, PasswordPolicy, Passwords } from '../passwords/index.ts';
import type { Sealer } from '../tokens/index.ts';
import type { Administration, Administrator } from '../use-cases/index.ts';
import { missingArgument, repeatedOption } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** The context of a command. */
export interface CommandContext {
  readonly config: Config;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly terminal: Terminal;
  /** The author of the command, for the audit log. */
  readonly author: Author;
  /** The author as a platform operator. */
  readonly administrator: Administrator;
  /** The functions of administrators. @throws AdministrationError */
  readonly administration: Administration;
  now(): Date;
  /** Returns the hashing threads, which the first call starts. */
  bcrypt(): Bcrypt;
  /** @throws StartError if the peppers differ from the recorded ones, since new hashes would match no password. */
  passwords(): Promise<Passwords>;
  readonly policy: PasswordPolicy;
}

/** The output of a command: `json` with `--json`, otherwise `text`. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** Set if a problem was found. The exit code is then 1. */
  readonly failed?: boolean;
}

/** Options with a value. Each may be given several times. For a single one, commands use `singleOption`. */
export type Options = Readonly<Record<string, readonly string[] | undefined>>;

export interface CommandArguments {
  readonly positionals: readonly string[];
  readonly options: Options;
  readonly flags: ReadonlySet<string>;
}

export interface Command {
  /** One or two words. */
  readonly name: string;
  /** The parameters after the name, one word for each positional. The last one ends in `...` if it may be repeated. */
  readonly parameters: readonly string[];
  /** The number of optional positionals, counted from the end. */
  readonly optional?: number;
  /** The names of options with a value, and of options without. */
  readonly options?: readonly string[];
  readonly flags?: readonly string[];
  readonly help: string;
}

/** The parts of the process that a command uses: settings, input and output. */
export type CommandProcess = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;

/** Runs a command with the settings and the input of a process. */
export type CommandRun = (process: CommandProcess, given: CommandArguments) => Promise<Outcome>;

/** The commands of a group by name. */
export type CommandRuns = Readonly<Record<string, CommandRun>>;

/** Runs a command on the database, which has been migrated. */
export type DatabaseCommandRun = (context: CommandContext, given: CommandArguments) => Promise<Outcome>;

/** The commands of a group on the database, by name. */
export type DatabaseCommandRuns = Readonly<Record<string, DatabaseCommandRun>>;

/** Returns the value of an option that may be given at most once. @throws UsageError */
export function singleOption(options: Options, name: string): string | undefined {
  const values = options[name] ?? [];
  if (values.length > 1) throw repeatedOption(name);
  return values[0];
}

/** Returns the positional at an index, which the command's parameters require. */
export function positionalAt({ positionals }: CommandArguments, index: number): string {
  const value = positionals[index];
  if (value === undefined) throw missingArgument();
  return value;
}
