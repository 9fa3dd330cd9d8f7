import { z } from 'zod';
import { unreadableFileOf } from '../postgres.ts';
import { SettingsError, settingText } from './setting-text.ts';

/** The texts of settings, for checks that involve several of them. */
export interface GivenSettings {
  /** Returns undefined if the setting is unset or unreadable. */
  textOf(name: string): string | undefined;
  /** Returns whether the setting is set. An unreadable one counts as set, since it is reported separately. */
  isSet(name: string): boolean;
}

/**
 * Reads typed settings from environment variables.
 *
 * The keys of `shape` are the variables' names. An empty variable counts as unset. For every variable `NAME`, the variable
 * `NAME_FILE` may name a file with the value (a mounted secret). One trailing line break is dropped.
 *
 * @param contradictions returns the problems of combined settings, which are reported with the other problems.
 * @throws SettingsError with all problems.
 */
export function readSettings<Shape extends z.ZodRawShape>(
  shape: Shape,
  environment: NodeJS.ProcessEnv,
  contradictions: (given: GivenSettings) => readonly string[] = () => [],
): z.output<z.ZodObject<Shape>> {
  const unreadable: string[] = [];
  const values: Record<string, string> = {};
  const given = new Set<string>();
  for (const name of Object.keys(shape)) {
    const before = unreadable.length;
    const value = settingText(name, environment, unreadable);
    if (value !== undefined) values[name] = value;
    if (value !== undefined || unreadable.length > before) given.add(name);
  }
  const problems = [
    ...contradictions({ textOf: (name) => values[name], isSet: (name) => given.has(name) }),
    ...unreadable,
  ];
  const parsed = z.object(shape).safeParse(values);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    problems.push(values[name] === undefined ? `${name} is not set: ${issue.message}` : `${name}: ${issue.message}`);
  }
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems);
  return parsed.data;
}

const EXPECTED_POSTGRES = 'expected a postgresql:// URL';
const EXPECTED_REDIS = 'expected a URL such as redis://host:6379 or rediss://user:password@host:6379/0';

/** The unit of a number. */
export type Unit = 'bytes' | 'bytes per second' | 'days' | 'hours' | 'milliseconds' | 'minutes' | 'percent' | 'seconds';

/**
 * Returns the flag that a text stands for, in Hasura's spellings (`true`, `t`, `yes`, `y` and their opposites, in any case), or
 * undefined.
 */
export function flagIn(text: string): boolean | undefined {
  if (/^(?:true|t|yes|y)$/i.test(text.trim())) return true;
  return /^(?:false|f|no|n)$/i.test(text.trim()) ? false : undefined;
}

/**
 * The types of settings of both processes. Each parses a variable's text. `docs/configuration.md` is generated from their
 * metadata (`type`, `unit`) and the `description` of each setting.
 */
export const setting = {
  text: () => z.string({ error: 'expected a text' }),
  port: (fallback: number) =>
    whole('a port number from 0 to 65535', 0, 65_535).meta({ type: 'port' }).default(fallback),
  integer: (fallback: number, from: number, to: number, unit?: Unit) =>
    whole(`a whole number from ${from} to ${to}`, from, to)
      .meta({ type: `integer, ${from} to ${to}`, unit })
      .default(fallback),
  flag: (fallback: boolean) =>
    z
      .string()
      .refine((text) => flagIn(text) !== undefined, 'expected true or false')
      .meta({ type: 'boolean' })
      .transform((text) => flagIn(text) === true)
      .default(fallback),
  httpUrl: () =>
    z
      .string({ error: 'expected an http or https URL' })
      .refine(isHttpUrl, 'expected an http or https URL')
      .meta({ type: 'URL' }),
  redisUrl: () => z.string({ error: EXPECTED_REDIS }).refine(isRedisUrl, EXPECTED_REDIS).meta({ type: 'Redis URL' }),
  postgresUrl: () =>
    z
      .string({ error: EXPECTED_POSTGRES })
      .refine(isPostgresUrl, { error: EXPECTED_POSTGRES, abort: true })
      .superRefine(refuseUnreadableFile)
      .meta({ type: 'PostgreSQL URL' }),
  list: () =>
    z
      .string()
      .meta({ type: 'list, separated by commas' })
      .transform((value) =>
        value
          .split(',')
          .map((item) => item.trim())
          .filter(Boolean),
      ),
  /** Origins as browsers send them (RFC 6454 6.2), or `*` for any. With `subdomains`, one `*.` stands for any subdomain. */
  origins: ({ subdomains = false } = {}) =>
    setting.list().pipe(
      z.array(
        z.string().refine((text) => text === '*' || isOrigin(subdomains ? text.replace('*.', '') : text), {
          error: ({ input }) =>
            `${JSON.stringify(input)} is no origin: expected scheme and host without a path, such as https://app.example.com`,
        }),
      ),
    ),
  logLevel: () =>
    z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        error: 'expected one of fatal, error, warn, info, debug, trace, silent',
      })
      .default('info'),
};

function whole(expected: string, from: number, to: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, `expected ${expected}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `expected ${expected}`);
}

function isHttpUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:';
}

/**
 * Returns whether a text is an origin in the form that is compared: for http and https, in lower case and without the default
 * port.
 */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#*]+$/.test(text)) return false;
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text);
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && ['postgresql:', 'postgres:'].includes(new URL(text).protocol);
}

/** Rejects URLs of PostgreSQL that name unreadable files, such as certificates. */
export function refuseUnreadableFile(url: string, context: z.RefinementCtx<string>): void {
  const message = unreadableFileOf(url);
  if (message !== undefined) context.addIssue({ code: 'custom', message, continue: false });
}

function isRedisUrl(value: string): boolean {
  return URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol);
}
