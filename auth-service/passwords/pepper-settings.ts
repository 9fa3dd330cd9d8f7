import { z } from 'zod';
import { parseJson, SettingsError } from '../../platform/index.ts';
import type { Peppers } from './passwords.ts';

const MIN_LENGTH = 32;
/** The most digits that a stored hash may have. */
export const MAX_PEPPER_VERSION = 999_999_999;

const EXPECTED = `expected at least ${MIN_LENGTH} random characters`;
const VERSIONS_EXPECTED = `expected JSON like {"1":"…","2":"…"}, each with at least ${MIN_LENGTH} random characters`;

/** `AUTH_PASSWORD_PEPPER`: the only pepper, which has version 1. */
export const pepperSecret = z.string({ error: EXPECTED }).refine(({ length }) => length >= MIN_LENGTH, EXPECTED);

const versions = z
  .record(z.string().regex(/^[1-9]\d{0,8}$/), pepperSecret)
  .refine((all) => Object.keys(all).length > 0);

/** `AUTH_PASSWORD_PEPPERS`: several peppers by version. */
export const pepperVersions = z
  .string()
  .meta({ type: 'JSON' })
  .transform((text, context): ReadonlyMap<number, string> => {
    const parsed = versions.safeParse(parseJson(text));
    if (parsed.success)
      return new Map(Object.entries(parsed.data).map(([version, secret]) => [Number(version), secret]));
    context.addIssue({ code: 'custom', message: VERSIONS_EXPECTED });
    return z.NEVER;
  });

/** Returns whether there are several peppers. `AUTH_PASSWORD_PEPPER` is then not needed. */
export function setsPepperVersions(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment.AUTH_PASSWORD_PEPPERS || environment.AUTH_PASSWORD_PEPPERS_FILE);
}

interface PepperSettings {
  AUTH_PASSWORD_PEPPER?: string | undefined;
  AUTH_PASSWORD_PEPPERS?: ReadonlyMap<number, string> | undefined;
  /** 0 selects the highest version. */
  AUTH_PASSWORD_PEPPER_VERSION: number;
}

/** @throws SettingsError if the settings contradict each other. */
export function peppersOf(settings: PepperSettings): Peppers {
  const {
    AUTH_PASSWORD_PEPPER: single,
    AUTH_PASSWORD_PEPPERS: several,
    AUTH_PASSWORD_PEPPER_VERSION: version,
  } = settings;
  if (single !== undefined && several)
    throw new SettingsError(['AUTH_PASSWORD_PEPPER and AUTH_PASSWORD_PEPPERS are both set: keep one of them']);
  // `setsPepperVersions` does not read the file, since a pipe can be read only once.
  if (single === undefined && !several)
    throw new SettingsError([`AUTH_PASSWORD_PEPPERS is not set, since its file is empty: ${VERSIONS_EXPECTED}`]);
  const secrets = several ?? new Map(single === undefined ? [] : [[1, single]]);
  const current = version === 0 ? Math.max(...secrets.keys()) : version;
  if (!secrets.has(current))
    throw new SettingsError([`AUTH_PASSWORD_PEPPER_VERSION: there is no pepper of version ${current}`]);
  return { current, secrets };
}
