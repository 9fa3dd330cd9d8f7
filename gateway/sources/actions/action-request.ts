import { ASSERTION_HEADER, type ServiceAssertion } from '../../assertions/index.ts';
import { type Bindings, escapeUri } from '../../kriti/index.ts';
import type { NamedText, RequestTransform } from '../../metadata/index.ts';
import type { UpstreamRequest } from '../../upstream/index.ts';
import type { HeaderForwarding } from '../client-headers.ts';
import { CALL_HEADERS, COMMON_HEADERS, commonHeaders, type OperationContext } from '../operation-context.ts';
import { SIGNATURE_HEADER, webhookSignature } from './action-signature.ts';

/** How an action's webhook is asked. */
export interface WebhookTarget {
  /** The handler, with the environment's values put in. */
  readonly url: string;
  /** Configured headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly forwardHeaders: HeaderForwarding | undefined;
  readonly plainHeaders: ReturnType<typeof plainHeaders>;
  readonly transform: RequestTransform | undefined;
  /** The key that calls are signed with; undefined without signatures. */
  readonly signingSecret: string | undefined;
  /** Set when the webhook is to know that a call comes from this gateway. */
  readonly assertion: ServiceAssertion | undefined;
}

/** The body of a webhook call as Hasura has it (https://hasura.io/docs/2.0/actions/action-handlers). */
export interface WebhookPayload {
  readonly action: { readonly name: string };
  readonly input: Readonly<Record<string, unknown>>;
  readonly request_query: string;
  readonly session_variables: Readonly<Record<string, string>>;
}

export type WebhookRequest = Required<Pick<UpstreamRequest, 'url' | 'method' | 'headers'>> & { readonly body?: string };

const JSON_CONTENT_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A request that cannot be made of what the templates gave. The message names no value. */
export class UnusableRequest extends Error {}

/**
 * The request to a webhook. Configured headers win over ours, ours over those of the client; a transform has the last
 * word on everything but the signature and the assertion.
 *
 * @throws KritiEvaluationError or UnusableRequest when the transform does not fit the values.
 */
export function webhookRequest(
  target: WebhookTarget,
  payload: WebhookPayload,
  context: OperationContext,
): WebhookRequest {
  const { transform, url, signingSecret, assertion } = target;
  if (!transform && target.plainHeaders) {
    const body = JSON.stringify(payload);
    const headers = [
      ...target.plainHeaders,
      'x-request-id',
      context.requestId,
      'x-forwarded-for',
      context.clientAddress,
    ];
    if (signingSecret !== undefined) headers.push(SIGNATURE_HEADER, webhookSignature(signingSecret, body, Date.now()));
    if (assertion) headers.push(ASSERTION_HEADER, assertion.forSession(context.session));
    return { url, method: 'POST', headers, body };
  }
  const headers: Record<string, string> = {
    ...target.forwardHeaders?.(context.clientHeaders),
    ...commonHeaders(context),
    ...target.headers,
  };
  const request: WebhookRequest = transform
    ? transformedRequest(target, transform, payload, headers)
    : { url, method: 'POST', headers, body: JSON.stringify(payload) };
  // Only the gateway signs calls: a client's signature header is dropped.
  delete headers[SIGNATURE_HEADER];
  if (signingSecret !== undefined)
    headers[SIGNATURE_HEADER] = webhookSignature(signingSecret, request.body ?? '', Date.now());
  if (assertion) headers[ASSERTION_HEADER] = assertion.forSession(context.session);
  return request;
}

/** The headers that all calls share; undefined where clients' headers or settings change them. */
export function plainHeaders({
  headers,
  forwardHeaders,
}: Pick<WebhookTarget, 'headers' | 'forwardHeaders'>): readonly string[] | undefined {
  if (forwardHeaders || [...CALL_HEADERS, SIGNATURE_HEADER, ASSERTION_HEADER].some((name) => name in headers))
    return undefined;
  return Object.entries({ ...COMMON_HEADERS, ...headers }).flat();
}

function transformedRequest(
  target: WebhookTarget,
  transform: RequestTransform,
  payload: WebhookPayload,
  headers: Record<string, string>,
): WebhookRequest {
  const bindings = requestBindings(target, payload);
  const body = webhookRequestBody(transform, payload, bindings);
  if (!body) delete headers['content-type'];
  else if (body.type !== JSON_CONTENT_TYPE) headers['content-type'] = body.type;
  transformHeaders(headers, transform, bindings);
  return {
    url: requestUrl(target.url, transform, bindings),
    method: transform.method ?? 'POST',
    headers,
    ...(body && { body: body.text }),
  };
}

/** The context of request templates; response templates see it as `$request`. */
export function requestBindings(target: WebhookTarget, payload: WebhookPayload): Bindings {
  return {
    variables: {
      $body: payload,
      $base_url: target.url,
      $session_variables: payload.session_variables,
      $query_params: [...new URL(target.url).searchParams],
    },
    sessionVariables: payload.session_variables,
  };
}

const TRUSTED_IN_URLS: ReadonlySet<string> = new Set(['$base_url']);

function requestUrl(handler: string, transform: RequestTransform, bindings: Bindings): string {
  const text = transform.url?.url(bindings, TRUSTED_IN_URLS) ?? handler;
  const target = URL.canParse(text) ? new URL(text) : undefined;
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:')
    throw new UnusableRequest('the template of the URL gave no http or https URL');
  const parameters = queryString(transform.query_params, bindings);
  if (parameters !== undefined) target.search = parameters;
  return target.href;
}

/** Undefined leaves the parameters of the URL as they are; that is also what a mapping without entries means. */
function queryString(parameters: RequestTransform['query_params'], bindings: Bindings): string | undefined {
  if (!parameters) return undefined;
  if ('url' in parameters) return parameters.url(bindings, new Set());
  return parameters.length === 0 ? undefined : formText(parameters, bindings);
}

/** Names and values as `application/x-www-form-urlencoded`; what is null is left out. */
function formText(fields: readonly NamedText[], bindings: Bindings): string {
  return fields
    .map(({ name, value }) => [name, value.text(bindings)] as const)
    .flatMap(([name, value]) => (value === null ? [] : [`${escapeUri(name)}=${escapeUri(value)}`]))
    .join('&');
}

function webhookRequestBody(
  transform: RequestTransform,
  payload: WebhookPayload,
  bindings: Bindings,
): { text: string; type: string } | undefined {
  const { body } = transform;
  if (body?.action === 'remove') return undefined;
  if (body?.action === 'x_www_form_urlencoded')
    return { text: formText(body.form_template, bindings), type: FORM_TYPE };
  const value = body ? body.template.evaluate(bindings) : payload;
  const type = transform.content_type ?? JSON_CONTENT_TYPE;
  return { text: type === FORM_TYPE ? formOf(value) : JSON.stringify(value), type };
}

/** In version 1 a body of JSON can be sent as a form: the fields of an object. */
function formOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnusableRequest('the template of the body gave no object to send as a form');
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
    if (/[\0\r\n]/.test(text)) throw new UnusableRequest(`the template of the header "${name}" gave several lines`);
    // Header values are bytes; undici takes strings as Latin-1.
    headers[name.toLowerCase()] = Buffer.from(text.trim(), 'utf8').toString('latin1');
  }
}
