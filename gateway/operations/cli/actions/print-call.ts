import { parseJson } from '../../../../platform/index.ts';
import { namedVariables } from '../../../metadata/index.ts';
import { type CalledHandler, describeVerdict } from '../../handler-calls/index.ts';
import { isSecretName, REDACTED, redactText } from '../../insight/index.ts';
import { terminalLine, terminalText } from './terminal-text.ts';

/** How much of a body is shown, in UTF-16 code units. */
const MAX_BODY = 4_000;
/** Shorter values of variables, such as `1`, would hide parts of other texts. */
const MIN_SECRET = 4;

/**
 * Describes a call: the request, the response and the verdict. Secrets are replaced, and nothing from outside reaches the
 * terminal unescaped.
 */
export function printedCall(called: CalledHandler, environment: NodeJS.ProcessEnv): string {
  const { exchange, durationMs } = called;
  const hide = secretHiding(called, environment);
  const { request, response } = exchange;
  const lines: string[] = [];
  if (request) {
    const { method, url, headers, body } = request;
    lines.push(`${method} ${terminalLine(hide(redactText(url, false)))}`, ...headerLines(headers, called, hide));
    if (typeof body === 'string' && body !== '') lines.push('', bodyText(body, hide));
    lines.push('');
  }
  if (response) {
    const { status, headers, body } = response;
    lines.push(`${status} after ${Math.round(durationMs)} ms`, ...headerLines(headers, called, hide));
    if (body !== '') lines.push('', bodyText(body, hide));
    lines.push('');
  }
  const sign = isRight(called) ? 'ok' : 'wrong';
  lines.push(...describeVerdict(called).map((line) => `${sign}: ${terminalLine(hide(line))}`));
  return lines.join('\n');
}

/** Whether the handler responded as its metadata says. A refusal in the documented form is right. */
export function isRight({ verdict }: CalledHandler): boolean {
  return verdict.kind === 'value' || verdict.kind === 'refused';
}

type Hide = (text: string) => string;

/** Replaces the values of environment variables that the action uses for headers, signatures and secret parts of its URL. */
function secretHiding({ handler }: CalledHandler, environment: NodeJS.ProcessEnv): Hide {
  const { handler: url, headers = [], webhook_signature: signature } = handler.action.definition;
  const variables = [
    'PORTICO_WEBHOOK_SECRET',
    signature?.secret_from_env,
    ...(typeof url === 'string' ? namedVariables(url, undefined).filter(isSecretName) : []),
    ...headers.flatMap(({ value, value_from_env: variable }) => namedVariables(value, variable)),
  ];
  const secrets = variables
    .map((name) => (name === undefined ? undefined : environment[name]))
    .filter((value): value is string => value !== undefined && value.length >= MIN_SECRET);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
}

/** @param headers names to values, or alternating names and values. */
function headerLines(
  headers:
    | NonNullable<CalledHandler['exchange']['request']>['headers']
    | Readonly<Record<string, string | string[] | undefined>>,
  { handler }: CalledHandler,
  hide: Hide,
): readonly string[] {
  const fromEnvironment = new Set(
    handler.action.definition.headers
      ?.filter(({ value_from_env: variable }) => variable != null)
      .map(({ name }) => name.toLowerCase()),
  );
  const entries: readonly (readonly [string, string])[] = Array.isArray(headers)
    ? pairs(headers)
    : Object.entries(headers as Readonly<Record<string, string | string[] | undefined>>).flatMap(([name, value]) =>
        [value ?? []].flat().map((one) => [name, one] as const),
      );
  return entries.map(([name, value]) => {
    const isHidden = isSecretName(name) || name.startsWith('x-portico-') || fromEnvironment.has(name.toLowerCase());
    return terminalLine(`${name}: ${isHidden ? REDACTED : hide(redactText(value, false))}`);
  });
}

function pairs(alternating: readonly string[]): readonly (readonly [string, string])[] {
  const entries: [string, string][] = [];
  for (let at = 0; at < alternating.length; at += 2) entries.push([alternating[at] ?? '', alternating[at + 1] ?? '']);
  return entries;
}

function bodyText(body: string, hide: Hide): string {
  const value = body.length > MAX_BODY ? undefined : parseJson(body);
  const text = value === undefined ? body : JSON.stringify(value, undefined, 2);
  const shown = terminalText(hide(redactText(text.slice(0, MAX_BODY), false)));
  return text.length > MAX_BODY ? `${shown}…\n(${text.length} characters)` : shown;
}
