import { metricsPushSettings, otlpSettings, tracingSettings } from '../../platform/index.ts';
import { pepperSecret } from '../passwords/index.ts';
import { administrationSettings, retentionSettings } from './administration.ts';
import { databaseSettings } from './database.ts';
import { failedLoginSettings, passwordSettings } from './passwords.ts';
import { revocationSecret, servingSettings } from './serving.ts';
import { sessionSettings, tokenSettings } from './tokens.ts';

/** Settings that are required depending on others. */
export interface RequiredSettings {
  readonly pepper: boolean;
  readonly revocationSecret: boolean;
}

/** Settings of OpenTelemetry. */
export const openTelemetrySettings = { ...otlpSettings, ...tracingSettings, ...metricsPushSettings };

/** The auth service's settings in the order of `docs/configuration.md`, which is generated from them. */
export const authServiceSettingGroups = {
  'Server and logs': servingSettings,
  Database: databaseSettings,
  Passwords: passwordSettings,
  'Failed logins': failedLoginSettings,
  'Signing keys and access tokens': tokenSettings,
  Sessions: sessionSettings,
  Administration: administrationSettings,
  'Retention and audit log': retentionSettings,
  OpenTelemetry: openTelemetrySettings,
};

/** The settings of the auth service by environment variable. */
export const authServiceSettings = (required: RequiredSettings) => ({
  ...servingSettings,
  ...databaseSettings,
  ...passwordSettings,
  ...failedLoginSettings,
  ...tokenSettings,
  ...sessionSettings,
  ...administrationSettings,
  ...retentionSettings,
  ...openTelemetrySettings,
  ...(required.revocationSecret && { AUTH_REVOCATION_SECRET: revocationSecret }),
  ...(required.pepper && { AUTH_PASSWORD_PEPPER: pepperSecret }),
});
