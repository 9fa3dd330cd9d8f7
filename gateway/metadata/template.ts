import { hasCredentials, isHeaderValue } from '../../platform/index.ts';
import { isOwnSecret } from '../own-secrets.ts';
import type { ConfiguredHeader } from './shapes/index.ts';
import { VARIABLES_NOT_FOUND, type ValuePath } from './yaml/index.ts';

/** The environment variables. Only those that the metadata names are ever read. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The problem with a value, and its path within the resolved object. */
export interface UnresolvedValue {
  readonly problem: string;
  readonly path: ValuePath;
}

const VARIABLE_REFERENCE = /\{\{\s*(\w+)\s*\}\}/g;

/** A URL, as a template or as the name of a variable. */
export interface DescribedUrl {
  readonly url?: string | null | undefined;
  readonly url_from_env?: string | null | undefined;
}

/** Returns the http or https URL of a definition with either `url` or `url_from_env`, or the problem with it. */
export function resolveUrl(definition: DescribedUrl, environment: Environment): { url: string } | UnresolvedValue {
  return resolveUrlOf(definition, environment, ['http', 'https']);
}

/** Like `resolveUrl`, for calls that send the user and password of the URL. */
export function resolveUrlWithCredentials(
  definition: DescribedUrl,
  environment: Environment,
): { url: string } | UnresolvedValue {
  return resolveUrlOf(definition, environment, ['http', 'https'], true);
}

/** Like `resolveUrl`, for URLs that may also be a WebSocket's. */
export function resolveEventsUrl(
  definition: DescribedUrl,
  environment: Environment,
): { url: string } | UnresolvedValue {
  return resolveUrlOf(definition, environment, ['http', 'https', 'ws', 'wss']);
}

const CREDENTIALS_IN_URL =
  'a user and password in a URL are not sent: remove them, and configure the header Authorization in their place';

function resolveUrlOf(
  definition: DescribedUrl,
  environment: Environment,
  schemes: readonly string[],
  sendsCredentials = false,
): { url: string } | UnresolvedValue {
  const path = [definition.url == null ? 'url_from_env' : 'url'];
  const filled = resolveValue(definition.url, definition.url_from_env, environment);
  if ('unusable' in filled) return { problem: environmentProblem(filled.unusable), path };
  const url = filled.text;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !schemes.includes(parsed.protocol.slice(0, -1)))
    return { problem: `expected an ${schemes.join(' or ')} URL`, path };
  if (!sendsCredentials && hasCredentials(parsed)) return { problem: CREDENTIALS_IN_URL, path };
  return { url };
}

/**
 * Returns the configured headers with their values filled in, or the first problem. Names are in lower case. Values have one
 * character for each byte of their UTF-8.
 */
export function resolveHeaders(
  headers: readonly ConfiguredHeader[],
  environment: Environment,
): { headers: Record<string, string> } | UnresolvedValue {
  const resolved: Record<string, string> = {};
  const unusable: string[] = [];
  let first: ValuePath = [];
  for (const [index, { name, value, value_from_env }] of headers.entries()) {
    const filled = resolveValue(value, value_from_env, environment);
    const path = [index, value == null ? 'value_from_env' : 'value'];
    if ('unusable' in filled) {
      if (unusable.length === 0) first = path;
      unusable.push(...filled.unusable);
    } else if (!isHeaderValue(filled.text)) return { problem: unsendableProblem(name, value_from_env), path };
    // undici writes one byte for each character.
    else resolved[name.toLowerCase()] = Buffer.from(filled.text, 'utf8').toString('latin1');
  }
  if (unusable.length > 0) return { problem: environmentProblem(unusable), path: first };
  return { headers: resolved };
}

/** Returns the value of a variable that metadata names, or the problem with it. */
export function resolveVariable(name: string, environment: Environment): { text: string } | { problem: string } {
  const filled = resolveValue(undefined, name, environment);
  return 'unusable' in filled ? { problem: environmentProblem(filled.unusable) } : filled;
}

/**
 * Returns the text of a template in which each `{{NAME}}` is replaced by a variable's value, or the value of the variable named
 * instead of a template. If variables are missing or must not be read, returns the problem. Metadata reads the environment only
 * through this function.
 */
function resolveValue(
  template: string | null | undefined,
  variable: string | null | undefined,
  environment: Environment,
): { text: string } | { unusable: readonly string[] } {
  const names = namedVariables(template, variable);
  const unusable = names.filter((name) => isOwnSecret(name) || environment[name] === undefined);
  if (unusable.length > 0) return { unusable };
  const textOf = (name: string) => environment[name] ?? '';
  return {
    text: template == null ? textOf(variable ?? '') : template.replace(VARIABLE_REFERENCE, (_, name) => textOf(name)),
  };
}

/** Returns the variables that a template refers to, or the variable named instead of a template. */
export function namedVariables(
  template: string | null | undefined,
  variable: string | null | undefined,
): readonly string[] {
  if (template == null) return [variable ?? ''];
  return [...template.matchAll(VARIABLE_REFERENCE)].map(([, name]) => name ?? '');
}

function unsendableProblem(header: string, variable: string | null | undefined): string {
  const where = variable == null ? `the value of the header "${header}"` : `the value of ${variable}`;
  return `${where} contains a line break or another control character, which is not allowed in a header`;
}

function environmentProblem(unusable: readonly string[]): string {
  const names = [...new Set(unusable)];
  const secrets = names.filter(isOwnSecret);
  if (secrets.length > 0) return `metadata cannot use the secrets of the platform itself: ${secrets.join(', ')}`;
  return `${VARIABLES_NOT_FOUND}${names.join(', ')}`;
}
