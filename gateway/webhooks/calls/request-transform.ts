import { hasCredentials, isHeaderValue } from '../../../platform/index.ts';
import type { NamedText, RequestTransform } from '../../metadata/index.ts';
import { type Bindings, escapeUri } from '../kriti/index.ts';

/** A request to a webhook. `body` is absent if the request has none. */
export interface WebhookRequest {
  readonly url: string;
  readonly method: NonNullable<RequestTransform['method']>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The parts of a request before its transform. */
export interface UntransformedRequest {
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a JSON value. */
  readonly payload: unknown;
  /** Empty for calls without a caller. */
  readonly sessionVariables: Readonly<Record<string, string>>;
}

const JSON_CONTENT_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The templates gave values from which no request can be built. The message contains no values. */
export class UnusableRequest extends Error {}

/**
 * Applies a transform to a request.
 *
 * @throws KritiEvaluationError or UnusableRequest if the transform does not fit the values.
 */
export function transformedRequest(request: UntransformedRequest, transform: RequestTransform): WebhookRequest {
  const headers = { ...request.headers };
  const bindings = requestBindings(request);
  const body = webhookRequestBody(transform, request.payload, bindings);
  if (!body) delete headers['content-type'];
  else if (body.type !== JSON_CONTENT_TYPE) headers['content-type'] = body.type;
  transformHeaders(headers, transform, bindings);
  return {
    url: requestUrl(request.url, transform, bindings),
    method: transform.method ?? 'POST',
    headers,
    ...(body && { body: body.text }),
  };
}

/** Returns the context of request templates. Response templates see it as `$request`. */
export function requestBindings({
  url,
  payload,
  sessionVariables,
}: Pick<UntransformedRequest, 'url' | 'payload' | 'sessionVariables'>): Bindings {
  return {
    variables: {
      $body: payload,
      $base_url: url,
      $session_variables: sessionVariables,
      $query_params: [...new URL(url).searchParams],
    },
    sessionVariables,
  };
}

const TRUSTED_IN_URLS: ReadonlySet<string> = new Set(['$base_url']);

function requestUrl(handler: string, transform: RequestTransform, bindings: Bindings): string {
  const text = transform.url?.url(bindings, TRUSTED_IN_URLS) ?? handler;
  const target = URL.canParse(text) ? new URL(text) : undefined;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw new UnusableRequest('the template of the URL did not produce an http or https URL');
  if (hasCredentials(target))
    throw new UnusableRequest('the template of the URL produced a user and password, which are not sent');
  const parameters = queryString(transform.query_params, bindings);
  if (parameters !== undefined) target.search = parameters;
  return target.href;
}

/** Returns the query string, or undefined to keep the parameters of the URL. A mapping without entries keeps them too. */
function queryString(parameters: RequestTransform['query_params'], bindings: Bindings): string | undefined {
  if (!parameters) return undefined;
  if ('url' in parameters) return parameters.url(bindings, new Set());
  return parameters.length === 0 ? undefined : formText(parameters, bindings);
}

/** Encodes names and values as `application/x-www-form-urlencoded`. Null values are left out. */
function formText(fields: readonly NamedText[], bindings: Bindings): string {
  return fields
    .map(({ name, value }) => [name, value.text(bindings)] as const)
    .flatMap(([name, value]) => (value === null ? [] : [`${escapeUri(name)}=${escapeUri(value)}`]))
    .join('&');
}

function webhookRequestBody(
  transform: RequestTransform,
  payload: unknown,
  bindings: Bindings,
): { text: string; type: string } | undefined {
  const { body } = transform;
  if (body?.action === 'remove') return undefined;
  if (body?.action === 'x_www_form_urlencoded')
    return { text: formText(body.form_template, bindings), type: FORM_TYPE };
  const value = body ? body.template.evaluate(bindings) : payload;
  const type = transform.content_type ?? JSON_CONTENT_TYPE;
  return { text: type === FORM_TYPE ? urlEncodedForm(value) : JSON.stringify(value), type };
}

/** Encodes a JSON object as a form, which transforms of version 1 allow. */
function urlEncodedForm(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnusableRequest('the template of the body did not produce an object to send as a form');
  return Object.entries(value)
    .filter(([, field]) => field !== null)
    .map(
      ([name, field]) => `${escapeUri(name)}=${escapeUri(typeof field === 'string' ? field : JSON.stringify(field))}`,
    )
    .join('&');
}

function transformHeaders(
  headers: Record<string, string>,
  { request_headers }: RequestTransform,
  bindings: Bindings,
): void {
  const { add_headers, remove_headers } = request_headers ?? {};
  for (const name of remove_headers ?? []) delete headers[name.toLowerCase()];
  for (const { name, value } of add_headers ?? []) {
    const text = value.text(bindings);
    if (text === null) continue;
    if (!isHeaderValue(text))
      throw new UnusableRequest(
        `the template of the header "${name}" produced a line break or another control character`,
      );
    // Header values are bytes, and undici encodes strings as Latin-1.
    headers[name.toLowerCase()] = Buffer.from(text.trim(), 'utf8').toString('latin1');
  }
}
