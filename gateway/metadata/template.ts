import type { ConfiguredHeader } from './shared-shapes.ts';

/** Values from the environment that metadata may refer to. Only what a file names is ever read. */
export type Environment = Readonly<Record<string, string | undefined>>;

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** Names of the variables that `text` refers to as `{{NAME}}` and that are not set. */
export function missingVariables(text: string, environment: Environment): readonly string[] {
  const names = [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
  return [...new Set(names.filter((name) => environment[name] === undefined))];
}

/** `text` with each `{{NAME}}` replaced by the variable's value. Callers check `missingVariables` first. */
export function fillTemplate(text: string, environment: Environment): string {
  return text.replace(PLACEHOLDER, (_, name: string) => environment[name] ?? '');
}

/** A URL, as a template or as the name of the variable that holds it. */
export interface DescribedUrl {
  readonly url?: string | null | undefined;
  readonly url_from_env?: string | null | undefined;
}

/** The http or https URL of a definition that has either `url` or `url_from_env`; or what is wrong with it. */
export function resolveUrl(definition: DescribedUrl, environment: Environment): { url: string } | { problem: string } {
  return resolveUrlOf(definition, environment, ['http', 'https']);
}

/** The same, where the URL may also be one of a WebSocket. */
export function resolveEventsUrl(
  definition: DescribedUrl,
  environment: Environment,
): { url: string } | { problem: string } {
  return resolveUrlOf(definition, environment, ['http', 'https', 'ws', 'wss']);
}

function resolveUrlOf(
  definition: DescribedUrl,
  environment: Environment,
  schemes: readonly string[],
): { url: string } | { problem: string } {
  const filled = resolveValue(definition.url, definition.url_from_env, environment);
  if ('missing' in filled)
    return { problem: `Value for environment variables not found: ${filled.missing.join(', ')}` };
  const url = filled.text;
  const scheme = URL.canParse(url) ? new URL(url).protocol.slice(0, -1) : '';
  if (!schemes.includes(scheme)) return { problem: `expected an ${schemes.join(' or ')} URL` };
  return { url };
}

/** Configured headers with their values filled in, names in lower case; or what is wrong with them. */
export function resolveHeaders(
  headers: readonly ConfiguredHeader[],
  environment: Environment,
): { headers: Record<string, string> } | { problem: string } {
  const resolved: Record<string, string> = {};
  const missing: string[] = [];
  for (const { name, value, value_from_env } of headers) {
    const filled = resolveValue(value, value_from_env, environment);
    if ('missing' in filled) missing.push(...filled.missing);
    else resolved[name.toLowerCase()] = filled.text;
  }
  if (missing.length > 0) return { problem: `Value for environment variables not found: ${missing.join(', ')}` };
  return { headers: resolved };
}

/** The text of a template, or of the variable that is named in its place; or the variables that are not set. */
function resolveValue(
  template: string | null | undefined,
  variable: string | null | undefined,
  environment: Environment,
): { text: string } | { missing: readonly string[] } {
  if (template == null) {
    const text = environment[variable ?? ''];
    return text === undefined ? { missing: [variable ?? ''] } : { text };
  }
  const missing = missingVariables(template, environment);
  return missing.length > 0 ? { missing } : { text: fillTemplate(template, environment) };
}
