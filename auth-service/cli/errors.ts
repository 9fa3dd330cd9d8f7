import { UsageError } from '../../platform/command-line.ts';

export { UsageError };

/** An impossible action. The message is for the operator, and the exit code is 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/** @param suggestion a similar command, in the form of `suggestion`. */
export function unknownCommand(suggestion: string): UsageError {
  return new UsageError(`unknown command${suggestion}`);
}

/** @param suggestion a similar option, in the form of `suggestion`. */
export function unknownOption(suggestion: string): UsageError {
  return new UsageError(`unknown option${suggestion}`);
}

export function invalidOptionValue(): UsageError {
  return new UsageError('an option has no value, or has a value that it does not take');
}

export function repeatedOption(name: string): UsageError {
  return new UsageError(`--${name} is given more than once`);
}

export function missingArgument(): UsageError {
  return new UsageError('an argument is missing');
}

export function extraArgument(): UsageError {
  return new UsageError('too many arguments');
}

/** @param most the largest id. */
export function invalidTenantId(most: number): UsageError {
  return new UsageError(`expected a tenant id from 1 to ${most}`);
}

export function invalidClaim(): UsageError {
  return new UsageError('expected claims such as x-hasura-department=sales');
}

export function roleExpected(): UsageError {
  return new UsageError('expected at least one --role');
}

export function passwordExpected(): UsageError {
  return new UsageError('expected a password, typed or on standard input');
}

export function passwordsDiffer(): CommandError {
  return new CommandError('the passwords do not match');
}

export function clientIdExpected(): UsageError {
  return new UsageError('expected a client id');
}

export function sessionIdExpected(): UsageError {
  return new UsageError('expected a session id');
}

export function sessionOrAllExpected(): UsageError {
  return new UsageError('expected a session id or --all');
}

/** @param events the known events. */
export function unknownEvent(events: readonly string[]): UsageError {
  return new UsageError(`expected an event of ${events.join(', ')}`);
}

export function tenantOfUserMissing(): UsageError {
  return new UsageError('--user accepts a name only together with --tenant');
}

export function invalidLimit(most: number): UsageError {
  return new UsageError(`--limit: expected a number from 1 to ${most}`);
}

export function entryIdExpected(): UsageError {
  return new UsageError('--after: expected the id of an entry');
}

export function invalidSince(): UsageError {
  return new UsageError('--since: expected a time such as 2026-11-21T08:00Z, 2026-11-21, 30m, 12h or 7d');
}

export function invalidUrl(): UsageError {
  return new UsageError('--url: expected a URL');
}

export function unknownTenant(): CommandError {
  return new CommandError('there is no such tenant');
}

export function unknownUser(): CommandError {
  return new CommandError('there is no such user in this tenant');
}

/** @param known the configured versions. */
export function unknownPepper(known: readonly number[]): CommandError {
  return new CommandError(`the settings have no pepper of this version; they have: ${known.join(', ')}`);
}

export function inputTooLarge(): CommandError {
  return new CommandError('standard input is too large');
}

export function inputNotUtf8(): CommandError {
  return new CommandError('standard input is not in UTF-8');
}

export function inputInterrupted(): CommandError {
  return new CommandError('interrupted');
}

/** @param lines the reasons. */
export function nothingImported(lines: readonly string[]): CommandError {
  return new CommandError(['nothing was imported:', ...lines].join('\n  '));
}
