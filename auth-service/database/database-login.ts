import { type GivenSettings, SettingsError } from '../../platform/index.ts';
import { carriesCredentials } from './address.ts';

/**
 * How PostgreSQL authenticates the user of DATABASE_URL: by a password, or explicitly without one. `certificate`: a client
 * certificate that the URL names. `peer`: the user of the operating system. `trust`: by where the connection comes from.
 * `proxy`: something beside the service logs in for it, as with the IAM logins of cloud providers.
 */
export const DATABASE_LOGINS = ['password', 'certificate', 'peer', 'trust', 'proxy'] as const;

interface LoginSettings {
  AUTH_DATABASE_LOGIN: (typeof DATABASE_LOGINS)[number];
  DATABASE_URL: string;
  DATABASE_PASSWORD?: string | undefined;
}

/** Parameters of a URL that name files, as libpq calls them. */
const CERTIFICATE_PARAMETERS = ['sslcert', 'sslkey'];

/**
 * What is wrong in production, where the database needs a password: in `DATABASE_PASSWORD` or `DATABASE_URL`, unless it is
 * reached over a Unix socket or `AUTH_DATABASE_LOGIN` names one of the ways without. What that must not be is refused later.
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

/** @throws SettingsError when the settings of the login contradict each other. */
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
