import type { UsageError } from '../../../../platform/command-line.ts';
import { FLAG, givenDirectory, type RunCommand, readArguments, TEXT_OPTION, TEXTS_OPTION } from '../arguments.ts';
import { readCommandSettings } from '../command-settings.ts';
import {
  actionNameExpected,
  inputNotAnObject,
  invalidAssignment,
  unknownChoice,
  unknownActionsCommand as unknownCommand,
} from '../errors.ts';

/** The options of the commands for actions. */
export const ACTIONS_OPTIONS = {
  'actions codegen': { target: TEXT_OPTION, types: FLAG, out: TEXT_OPTION, scalar: TEXTS_OPTION, force: FLAG },
  'actions try': { input: TEXT_OPTION, role: TEXT_OPTION, session: TEXTS_OPTION, header: TEXTS_OPTION },
  'actions test': { cases: TEXT_OPTION, record: FLAG, tap: FLAG },
} as const;

/** Runs of the commands for actions. */
export const ACTIONS_RUNS: Readonly<Record<keyof typeof ACTIONS_OPTIONS, RunCommand>> = {
  async 'actions codegen'(words, environment) {
    const { values, positionals } = readArguments(ACTIONS_OPTIONS['actions codegen'], words);
    const location = metadataLocation(givenDirectory(positionals), environment);
    const { CODEGEN_TARGETS, SCALAR_JSON } = await import('../../codegen/index.ts');
    const { target: written = 'express', types, out = 'handlers', scalar = [], force } = values;
    const target = CODEGEN_TARGETS.find((known) => known === written);
    if (!target) throw unknownChoice('target', written, CODEGEN_TARGETS);
    const scalars = new Map(
      Object.entries(assignments('scalar', scalar, 'Money=string')).map(([name, json]) => {
        const known = SCALAR_JSON.find((one) => one === json);
        if (!known) throw unknownChoice('scalar', json, SCALAR_JSON);
        return [name, known];
      }),
    );
    const { codegen } = await import('./codegen.ts');
    codegen({ location, target, onlyTypes: types, out, scalars, force }, print, notice);
  },

  async 'actions try'(words, environment) {
    const { values, positionals } = readArguments(ACTIONS_OPTIONS['actions try'], words);
    const [name, given, ...others] = positionals;
    if (name === undefined || others.length > 0) throw actionNameExpected();
    const call = {
      input: inputOf(values.input ?? '{}'),
      role: values.role,
      session: assignments('session', values.session ?? [], 'x-hasura-user-id=7'),
      headers: assignments('header', values.header ?? [], 'accept-language=en'),
    };
    const { tryHandler } = await import('./try.ts');
    process.exitCode = await tryHandler(
      { location: metadataLocation(given, environment), environment, name, call },
      print,
    );
  },

  async 'actions test'(words, environment) {
    const { values, positionals } = readArguments(ACTIONS_OPTIONS['actions test'], words);
    const location = metadataLocation(givenDirectory(positionals), environment);
    const { cases, record, tap } = values;
    const { testHandlers } = await import('./test.ts');
    process.exitCode = await testHandlers({ location, environment, cases, record, tap }, print);
  },
};

/** @returns the error for an unknown word after `actions`. */
export function unknownActionsCommand(name: string): UsageError {
  return unknownCommand(
    name,
    Object.keys(ACTIONS_OPTIONS).map((command) => command.slice('actions '.length)),
  );
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function notice(text: string): void {
  process.stderr.write(`${text}\n`);
}

function metadataLocation(given: string | undefined, environment: NodeJS.ProcessEnv): string {
  return given ?? readCommandSettings(environment, ['HASURA_GRAPHQL_METADATA_DIR']).HASURA_GRAPHQL_METADATA_DIR;
}

/** Reads `name=value` options. @throws UsageError */
function assignments(option: string, written: readonly string[], example: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    written.map((text) => {
      const sign = text.indexOf('=');
      if (sign < 1) throw invalidAssignment(option, example);
      return [text.slice(0, sign), text.slice(sign + 1)];
    }),
  );
}

/** @throws UsageError */
function inputOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw inputNotAnObject();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw inputNotAnObject();
  return value as Readonly<Record<string, unknown>>;
}
