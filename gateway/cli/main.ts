import { parseArgs } from 'node:util';
import { fail } from '../../platform/index.ts';

const USAGE = `usage:
  portico check [dir] [--against <dir|git ref>] [--hasura <url> [--admin-secret <secret>]] [--schemas <dir>]
                [--record <dir>] [--json]
      Checks metadata without serving it. --schemas uses recorded schemas in place of asking the services, --record
      writes them, --against tells what changes for clients, --hasura what is different from a live Hasura, for each role;
      its admin secret may be in HASURA_GRAPHQL_ADMIN_SECRET. Exit code 1 when something is wrong or would break.
  portico serve [dir] [--workers <number>]
      Serves metadata. The settings are the environment's, as the README lists them; --workers goes before
      PORTICO_WORKERS.
  portico init [dir]
      Writes commented metadata to start from.
  dir is $HASURA_GRAPHQL_METADATA_DIR or ./metadata when it is not given.
`;

const OPTIONS = {
  against: { type: 'string' },
  hasura: { type: 'string' },
  'admin-secret': { type: 'string' },
  schemas: { type: 'string' },
  record: { type: 'string' },
  json: { type: 'boolean', default: false },
  workers: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function explainUsage(problem: string): void {
  process.stderr.write(`portico: ${problem}\n${USAGE}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const given = readArguments();
  if ('problem' in given) return explainUsage(given.problem);
  const { values, positionals } = given;
  const [command, directory, ...others] = positionals;
  if (values.help) return void process.stdout.write(USAGE);
  if (command === undefined) return explainUsage('expected check, serve or init');
  if (others.length > 0) return explainUsage('expected one directory at most');
  const environment = process.env;
  // An empty variable counts as unset, as everywhere.
  const location = directory ?? (environment.HASURA_GRAPHQL_METADATA_DIR || 'metadata');
  switch (command) {
    // Each loads what it needs itself: whoever mistypes a command need not wait for a gateway.
    case 'check': {
      const { check } = await import('./check.ts');
      const publicRole = environment.HASURA_GRAPHQL_UNAUTHORIZED_ROLE || 'anonymous';
      const { schemas, record, against, hasura, 'admin-secret': adminSecret, json } = values;
      const options = { location, environment, publicRole, schemas, record, against, hasura, adminSecret, json };
      process.exitCode = await check(options, (text) => process.stdout.write(`${text}\n`));
      return;
    }
    case 'serve': {
      const { serve } = await import('../serve.ts');
      const { workers } = values;
      return serve({
        ...environment,
        HASURA_GRAPHQL_METADATA_DIR: location,
        ...(workers !== undefined && { PORTICO_WORKERS: workers }),
      });
    }
    case 'init': {
      const { init } = await import('./init.ts');
      for (const file of init(location)) process.stdout.write(`${file}\n`);
      return;
    }
    default:
      explainUsage(`unknown command "${command}"`);
  }
}

main().catch((error) => fail('portico', error));
