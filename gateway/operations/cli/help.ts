import { SHELLS } from '../../../platform/command-line.ts';

/** The arguments of each command and their meaning. */
const COMMAND_HELP = {
  check: `  portico check [dir] [--against <dir|git ref>] [--hasura <url> [--admin-secret <secret>]] [--schemas <dir>]
                [--record <dir>] [--usage <dir> [--since <time>] [--allow-unused]] [--json]
      Checks metadata without serving it. --record writes the schemas of the services to a directory; --schemas reads them
      from there instead of calling the services. --against lists the changes that clients see. --hasura lists, for each
      role, the differences from a running Hasura; its admin secret can be set in HASURA_GRAPHQL_ADMIN_SECRET. --usage adds
      the clients that each breaking change affects (default --since: 30d). --allow-unused permits breaking changes to
      unused parts of the schema. Exits with code 1 if there are problems or breaking changes.`,
  usage: `  portico usage [dir…] [--since <time>] [--client <name>] [--operation <name>] [--role <name>] [--field <coordinate>]
                [--unused <metadata dir|file.graphql> [--schemas <dir>]] [--limit <number>] [--json]
      Lists the operations, clients and fields that gateways with PORTICO_USAGE_DIR have counted. The counts of several
      directories are added up. --unused lists unused fields. dir defaults to $PORTICO_USAGE_DIR. <time> is, for example,
      30d, 12h, 15m or 2026-01-31.`,
  serve: `  portico serve [dir] [--workers <number>]
      Starts a gateway that serves the metadata. The settings are read from the environment (see docs/configuration.md).
      --workers overrides PORTICO_WORKERS.`,
  jobs: `  portico jobs <list|show|retry|cancel|purge|stats> [id…] [--state <state>] [--kind <kind>] [--queue <queue>]
               [--tenant <tenant>] [--before <time>] [--limit <number>] [--payload] [--json]
      Manages jobs in the database of HASURA_GRAPHQL_METADATA_DATABASE_URL. retry runs dead jobs again and scheduled jobs
      immediately. cancel cancels unfinished jobs. purge deletes dead jobs. These three commands require ids or a filter.
      show --payload also prints the input, the session variables and the result of a job.`,
  init: `  portico init [dir] [--bare | --with-login | --with-sample]
      Creates a metadata directory. --bare contains only commented examples. --with-login adds the login of Portico's auth
      service. --with-sample adds the login and the sample service. Without an option, it asks on a terminal and otherwise
      uses --bare.`,
  'actions codegen': `  portico actions codegen [dir] [--target <express|fastify|fetch|fastapi|go>] [--types] [--out <dir>]
                          [--scalar <name>=<string|number|boolean|unknown>] [--force]
      Writes typed handlers of the actions: by default for Express, into ./handlers. --types writes the types alone.
      --scalar gives the JSON type of a custom scalar. --force replaces generated files, but never your handlers.`,
  'actions try': `  portico actions try <name> [dir] [--input <json>] [--role <role>] [--session <variable>=<value>]
                      [--header <name>=<value>]
      Calls the handler of an action as a gateway with the same settings does. Prints the request, without secrets, the
      response, and what does not fit the output type. --header is a header of the caller, for actions that forward them.`,
  'actions test': `  portico actions test [dir] [--cases <dir>] [--record] [--tap]
      Calls handlers with recorded inputs and compares the results. Cases are files <action>/<case>.yaml in the directory
      action-tests beside the metadata. --record writes the results of cases that expect nothing yet. --tap prints TAP 14.`,
  completion: `  portico completion <${SHELLS.join('|')}>
      Prints a completion script for a shell. bash and zsh: source <(portico completion bash), with the name of your
      shell. fish: portico completion fish | source`,
} as const;

const COMMON_HELP = `  Except in "usage", dir defaults to $HASURA_GRAPHQL_METADATA_DIR, or else to ./metadata.
  Exit codes: 0 success, 1 failure, 2 usage error.
`;

/** The complete help. */
export const HELP = `usage:
${Object.values(COMMAND_HELP).join('\n')}
  portico --version
${COMMON_HELP}`;

/** The help of the commands for actions. */
export const ACTIONS_HELP = `usage:
${(['actions codegen', 'actions try', 'actions test'] as const).map((name) => COMMAND_HELP[name]).join('\n')}
`;

/** Returns the help of one command, which fits into a terminal. */
export function helpOf(command: keyof typeof COMMAND_HELP): string {
  return `usage:\n${COMMAND_HELP[command]}\n`;
}
