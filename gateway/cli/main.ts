import { parseArgs } from 'node:util';
import { fail, runService } from '../../platform/index.ts';
import { startGateway } from '../gateway.ts';
import { check } from './check.ts';
import { init } from './init.ts';

const USAGE = `usage:
  portico check [dir] [--against <dir|git ref>] [--schemas <dir>] [--record <dir>] [--json]
      Checks metadata without serving it. --schemas uses recorded schemas in place of asking the services, --record
      writes them, --against tells what changes for each role. Exit code 1 when something is wrong or would break.
  portico serve [dir]
      Serves metadata. The settings are the environment's, as the README lists them.
  portico init [dir]
      Writes commented metadata to start from.
  dir is $HASURA_GRAPHQL_METADATA_DIR or ./metadata when it is not given.
`;

const OPTIONS = {
  against: { type: 'string' },
  schemas: { type: 'string' },
  record: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function explainUsage(problem?: string): void {
  process.stderr.write(problem === undefined ? USAGE : `portico: ${problem}\n${USAGE}`);
  process.exitCode = problem === undefined ? 0 : 2;
}

async function main(): Promise<void> {
  const given = readArguments();
  if ('problem' in given) return explainUsage(given.problem);
  const { values, positionals } = given;
  const [command, directory, ...others] = positionals;
  if (values.help) return explainUsage();
  if (command === undefined || others.length > 0) return explainUsage('expected check, serve or init');
  const environment = process.env;
  const location = directory ?? environment.HASURA_GRAPHQL_METADATA_DIR ?? 'metadata';
  switch (command) {
    case 'check': {
      const publicRole = environment.HASURA_GRAPHQL_UNAUTHORIZED_ROLE ?? 'anonymous';
      const { schemas, record, against, json } = values;
      const options = { location, environment, publicRole, schemas, record, against, json };
      process.exitCode = await check(options, (text) => process.stdout.write(`${text}\n`));
      return;
    }
    case 'serve':
      return runService('gateway', () => startGateway({ ...environment, HASURA_GRAPHQL_METADATA_DIR: location }));
    case 'init':
      for (const file of init(location)) process.stdout.write(`${file}\n`);
      return;
    default:
      explainUsage(`unknown command "${command}"`);
  }
}

main().catch((error) => fail('portico', error));
