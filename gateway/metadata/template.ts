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

/** The URL of a definition that has either `url`, a template, or `url_from_env`; or what is wrong with it. */
export function resolveUrl(
  definition: { url?: string | null | undefined; url_from_env?: string | null | undefined },
  environment: Environment,
): { url: string } | { problem: string } {
  const filled = resolveValue(definition.url, definition.url_from_env, environment);
  if ('missing' in filled)
    return { problem: `Value for environment variables not found: ${filled.missing.join(', ')}` };
  const url = filled.text;
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol !== 'http:' && protocol !== 'https:') return { problem: 'expected an http or https URL' };
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
