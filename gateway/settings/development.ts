import { setting } from '../../platform/index.ts';
import { parseDemoAccounts } from '../transports/home/index.ts';
import { json } from './types.ts';

/** Development and compatibility. */
export const developmentSettings = {
  HASURA_GRAPHQL_ENABLE_CONSOLE: setting
    .flag(false)
    .describe(
      'Whether the console is served at `/console`. `npm start` sets it, outside of production. See [console.md](console.md).',
    ),
  HASURA_GRAPHQL_DEV_MODE: setting
    .flag(false)
    .describe('Whether errors show clients internal details of failed calls. Never in production.'),
  PORTICO_REFERENCE_ENVELOPE: setting
    .flag(true)
    .describe("Whether a GraphQL login's JSON response has the member `auth_user_login` beside `data`."),
  PORTICO_DEMO_ACCOUNTS: json(parseDemoAccounts)
    .default([])
    .describe(
      'Demo accounts that the page at `/` and the console show with their passwords. `npm start` sets it for its demo data; refused in production.',
    ),
};
