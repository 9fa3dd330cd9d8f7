import { setting } from '../../platform/index.ts';
import { parseDemoAccounts } from '../transports/home/index.ts';
import { json } from './types.ts';

/** Development and compatibility. */
export const developmentSettings = {
  HASURA_GRAPHQL_ENABLE_CONSOLE: setting
    .flag(false)
    .describe(
      'Whether the console is served at `/console`. `npm start` enables it outside production. See [console.md](console.md).',
    ),
  HASURA_GRAPHQL_DEV_MODE: setting
    .flag(false)
    .describe('Whether errors contain internal details of failed calls. Never use this in production.'),
  PORTICO_REFERENCE_ENVELOPE: setting
    .flag(true)
    .describe('Whether the JSON response of a GraphQL login contains the member `auth_user_login` beside `data`.'),
  PORTICO_DEMO_ACCOUNTS: json(parseDemoAccounts)
    .default([])
    .describe(
      'Demo accounts that the page at `/` and the console show with their passwords. `npm start` sets this for its demo data. Rejected in production.',
    ),
};
