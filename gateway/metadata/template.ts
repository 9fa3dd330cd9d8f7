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
  definition: { url?: string | undefined; url_from_env?: string | undefined },
  environment: Environment,
): { url: string } | { problem: string } {
  const template = definition.url ?? `{{${definition.url_from_env}}}`;
  const missing = missingVariables(template, environment);
  if (missing.length > 0) return { problem: `Value for environment variables not found: ${missing.join(', ')}` };
  const url = fillTemplate(template, environment);
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
    const template = value ?? `{{${value_from_env}}}`;
    missing.push(...missingVariables(template, environment));
    resolved[name.toLowerCase()] = fillTemplate(template, environment);
  }
  if (missing.length > 0) return { problem: `Value for environment variables not found: ${missing.join(', ')}` };
  return { headers: resolved };
}
