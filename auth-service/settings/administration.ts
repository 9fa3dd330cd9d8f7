import { z } from 'zod';
import { setting } from '../../platform/index.ts';
import { ROLE_NAME } from '../tokens/index.ts';

/** The administration of tenants. */
export const administrationSettings = {
  AUTH_ADMIN_ROLES: z
    .string()
    .meta({ type: 'list, separated by commas or spaces' })
    .default('tenant_admin')
    .transform(roleNames)
    .describe(
      'Roles that administer their own tenant, within the limits of its assignable roles. Write an empty list as a comma. See [administration.md](administration.md).',
    ),
  AUTH_GATEWAY_JWKS_URL: setting
    .httpUrl()
    .optional()
    .describe(
      "URL of the gateway's `/.well-known/portico-jwks.json`. If it is set, callers with the gateway's admin secret are platform operators. See [administration.md](administration.md#by-the-admin-secret).",
    ),
  AUTH_GATEWAY_ISSUER: setting
    .text()
    .default('portico')
    .describe("Issuer (`iss`) of the gateway's assertions: the gateway's `PORTICO_ASSERTION_ISSUER`."),
  AUTH_GATEWAY_AUDIENCE: setting
    .text()
    .default('auth')
    .describe("Audience (`aud`) of the gateway's assertions: the gateway's `PORTICO_OPERATOR_SOURCE`."),
};

/** How long rows are kept, and who reads the audit log. */
export const retentionSettings = {
  AUTH_HOUSEKEEPING_MINUTES: setting
    .integer(10, 0, 1440, 'minutes')
    .describe('How often expired rows are deleted. 0 leaves this to other replicas. See [isolation.md](isolation.md).'),
  AUTH_HOUSEKEEPING_BATCH_ROWS: setting
    .integer(500, 1, 10_000)
    .describe('Maximum number of rows that one statement deletes.'),
  AUTH_KEEP_ENDED_SESSIONS_DAYS: setting.integer(30, 1, 3650, 'days').describe('How long ended sessions are kept.'),
  AUTH_AUDIT_RETENTION_DAYS: setting
    .integer(365, 30, 3650, 'days')
    .describe('How long the audit log is kept. See [audit-log.md](audit-log.md).'),
  AUTH_AUDIT_REFRESH_HOURS: setting
    .integer(24, 0, 720, 'hours')
    .describe(
      'Time within which all refreshes of a session from one address count as one entry of the audit log. With 0, each refresh is an entry.',
    ),
  AUTH_AUDIT_ROLES: z
    .string()
    .meta({ type: 'list, separated by commas or spaces' })
    .default('tenant_admin')
    .transform(roleNames)
    .describe('Roles that may read the audit log of their own tenant. Write an empty list as a comma.'),
};

/** Parses role names that are separated by commas or spaces. */
function roleNames(text: string, context: z.RefinementCtx): readonly string[] {
  const names = text.split(/[\s,]+/).filter(Boolean);
  if (names.every((name) => ROLE_NAME.test(name))) return names;
  context.addIssue({ code: 'custom', message: 'expected names of roles, with commas between them' });
  return z.NEVER;
}
