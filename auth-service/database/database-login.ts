import { type GivenSettings, SettingsError } from '../../platform/index.ts';
import { carriesCredentials } from './address.ts';

/**
 * How PostgreSQL authenticates the user of DATABASE_URL: by a password, or explicitly without one. `certificate`: by a client
 * certificate that the URL names. `peer`: by the operating system's user. `trust`: by the origin of the connection. `proxy`: a
 * program next to the service logs in, as with the IAM logins of cloud providers.
 */
export const DATABASE_LOGINS = ['password', 'certificate', 'peer', 'trust', 'proxy'] as const;

interface LoginSettings {
  AUTH_DATABASE_LOGIN: (typeof DATABASE_LOGINS)[number];
  DATABASE_URL: string;
  DATABASE_PASSWORD?: string | undefined;
}

/** Parameters of a URL that name files, as in libpq. */
const CERTIFICATE_PARAMETERS = ['sslcert', 'sslkey'];

/**
 * Returns the problems of the login in production. The database needs a password in `DATABASE_PASSWORD` or `DATABASE_URL`,
 * unless it is reached over a Unix socket or `AUTH_DATABASE_LOGIN` names a login without one. Contradictions are reported
 * later.
 */
export function databasePasswordProblems({ textOf, isSet }: GivenSettings): readonly string[] {
  const login = textOf('AUTH_DATABASE_LOGIN');
  if (isSet('DATABASE_PASSWORD') || (login !== undefined && login !== 'password')) return [];
  const url = textOf('DATABASE_URL');
  if (url !== undefined && carriesCredentials(url)) return [];
  return [
    'DATABASE_PASSWORD is not set: needed in production, here or in DATABASE_URL, unless AUTH_DATABASE_LOGIN says otherwise',
  ];
}

/** @throws SettingsError if the settings of the login contradict each other. */
export function refuseContradictoryLogin(settings: LoginSettings): void {
  const { AUTH_DATABASE_LOGIN: login, DATABASE_URL: url, DATABASE_PASSWORD: password } = settings;
  if (login === 'password') return;
  if (password !== undefined)
    throw new SettingsError([`AUTH_DATABASE_LOGIN is ${login}, and DATABASE_PASSWORD is set: keep one of them`]);
  if (login !== 'certificate') return;
  const parameters = new URLSearchParams(url.split('?')[1]);
  const missing = CERTIFICATE_PARAMETERS.filter((name) => !parameters.get(name));
  if (missing.length > 0)
    throw new SettingsError([
      `DATABASE_URL: AUTH_DATABASE_LOGIN is certificate, which requires ${missing.join(' and ')}`,
    ]);
}
