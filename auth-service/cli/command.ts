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
  /** Who runs the command, for the audit log. */
  readonly author: Author;
  /** The author as a platform operator. */
  readonly administrator: Administrator;
  /** @throws AdministrationError from what administrators can do. */
  readonly administration: Administration;
  now(): Date;
  /** The threads that hash are started when this is first called. */
  bcrypt(): Bcrypt;
  /** @throws StartError when the peppers differ from the recorded ones: new hashes would match no password. */
  passwords(): Promise<Passwords>;
  readonly policy: PasswordPolicy;
}

/** What a command prints: `json` with `--json`, else `text`. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** Something was found to be wrong; the exit code is 1. */
  readonly failed?: boolean;
}

/** Options that take a value; each may be given several times, and a command that wants one takes `one(…)`. */
export type Options = Readonly<Record<string, readonly string[] | undefined>>;

export interface CommandArguments {
  readonly positionals: readonly string[];
  readonly options: Options;
  readonly flags: ReadonlySet<string>;
}

export interface Command {
  /** One or two words. */
  readonly name: string;
  /** What follows the name; one word of it per positional. The last one ends in `...` when it may be repeated. */
  readonly parameters: readonly string[];
  /** Positionals that may be left out, counted from the end. */
  readonly optional?: number;
  /** Names of options with a value, and of those without. */
  readonly options?: readonly string[];
  readonly flags?: readonly string[];
  readonly help: string;
}

/** The process of a command: settings, input and output. */
export type CommandProcess = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;

/** Runs a command with the settings and the input of a process. */
export type CommandRun = (process: CommandProcess, given: CommandArguments) => Promise<Outcome>;

/** The commands of a group by their names. */
export type CommandRuns = Readonly<Record<string, CommandRun>>;

/** Runs a command on the database, which has the current schema then. */
export type DatabaseCommandRun = (context: CommandContext, given: CommandArguments) => Promise<Outcome>;

/** The commands of a group on the database, by their names. */
export type DatabaseCommandRuns = Readonly<Record<string, DatabaseCommandRun>>;

/** The value of an option that is given once at most. @throws UsageError */
export function singleOption(options: Options, name: string): string | undefined {
  const values = options[name] ?? [];
  if (values.length > 1) throw repeatedOption(name);
  return values[0];
}

/** The positional at this index, which the command's parameters require. */
export function positionalAt({ positionals }: CommandArguments, index: number): string {
  const value = positionals[index];
  if (value === undefined) throw missingArgument();
  return value;
}
