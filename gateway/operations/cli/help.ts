import { SHELLS } from '../../../platform/command-line.ts';

/** The arguments of each command and their meaning. */
const COMMAND_HELP = {
  check: `  portico check [dir] [--against <dir|git ref>] [--hasura <url> [--admin-secret <secret>]] [--schemas <dir>]
                [--record <dir>] [--usage <dir> [--since <time>] [--allow-unused]] [--json]
      Checks metadata without serving it. --schemas uses recorded schemas and calls no service, --record writes them.
      --against lists the changes for clients, --hasura the differences from a live Hasura, for each role, whose admin
      secret may be in HASURA_GRAPHQL_ADMIN_SECRET. --usage adds which clients are affected by each breaking change, since
      30d or another time; --allow-unused permits breaking changes of what is unused. Exit code 1 for problems and for
      breaking changes.`,
  usage: `  portico usage [dir…] [--since <time>] [--client <name>] [--operation <name>] [--role <name>] [--field <coordinate>]
                [--unused <metadata dir|file.graphql> [--schemas <dir>]] [--limit <number>] [--json]
      Lists the operations, clients and fields that gateways with PORTICO_USAGE_DIR have counted; several directories are
      summed up. --unused lists unused fields. dir is $PORTICO_USAGE_DIR by default; a time is 30d, 12h, 15m or 2026-01-31.`,
  serve: `  portico serve [dir] [--workers <number>]
      Serves metadata, with the settings of docs/configuration.md from the environment; --workers takes precedence over
      PORTICO_WORKERS.`,
  jobs: `  portico jobs <list|show|retry|cancel|purge|stats> [id…] [--state <state>] [--kind <kind>] [--queue <queue>]
               [--tenant <tenant>] [--before <time>] [--limit <number>] [--payload] [--json]
      Manages jobs in the database of HASURA_GRAPHQL_METADATA_DATABASE_URL. retry runs dead jobs again and scheduled
      ones now, purge deletes dead ones; each needs ids or a condition. show has a job's input, session variables and
      result with --payload.`,
  init: `  portico init [dir] [--bare | --with-login | --with-sample]
      Writes metadata to start from: --bare has examples in comments, --with-login also the login of Portico's auth service,
      --with-sample also the sample service. On a terminal it asks which; otherwise --bare is the default.`,
  completion: `  portico completion <${SHELLS.join('|')}>
      Prints a completion script for a shell: source <(portico completion bash), the same for zsh,
      portico completion fish | source`,
} as const;

const COMMON_HELP = `  In the other commands dir is $HASURA_GRAPHQL_METADATA_DIR or ./metadata by default.
  Exit codes: 0 done, 1 failed, 2 wrong arguments.
`;

/** The complete help. */
export const HELP = `usage:
${Object.values(COMMAND_HELP).join('\n')}
  portico --version
${COMMON_HELP}`;

/** Returns the help of one command, which fits into a terminal. */
export function helpOf(command: keyof typeof COMMAND_HELP): string {
  return `usage:\n${COMMAND_HELP[command]}\n`;
}
