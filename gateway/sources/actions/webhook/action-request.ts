import { ASSERTION_HEADER, type ServiceAssertion } from '../../../access/assertions/index.ts';
import type { RequestTransform } from '../../../metadata/index.ts';
import type { UpstreamRequest } from '../../../upstream/index.ts';
import {
  requestBindings,
  SIGNATURE_HEADER,
  transformedRequest,
  type WebhookRequest,
  webhookSignature,
} from '../../../webhooks/calls/index.ts';
import type { Bindings } from '../../../webhooks/kriti/index.ts';
import type { HeaderForwarding } from '../../client-headers.ts';
import { CALL_HEADERS, COMMON_HEADERS, commonHeaders, type OperationContext } from '../../operation-context.ts';
import type { FieldArguments } from './field-arguments.ts';

/** The webhook call of an action. */
export interface ActionWebhookTarget {
  /** The handler URL with environment variables resolved. */
  readonly url: string;
  /** Configured headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly forwardHeaders: HeaderForwarding | undefined;
  readonly plainHeaders: ReturnType<typeof plainHeaders>;
  readonly transform: RequestTransform | undefined;
  /** The key that signs calls. If undefined, calls are not signed. */
  readonly signingSecret: string | undefined;
  /** Set if calls carry a service assertion. */
  readonly assertion: ServiceAssertion | undefined;
}

/** The body of a webhook call in Hasura's format (https://hasura.io/docs/2.0/actions/action-handlers). */
export interface WebhookPayload {
  readonly action: { readonly name: string };
  readonly input?: Readonly<Record<string, unknown>>;
  /** Replaces `input` in a call for many objects. */
  readonly inputs?: readonly Readonly<Record<string, unknown>>[];
  /** Null for asynchronous actions. */
  readonly request_query: string | null;
  readonly session_variables: Readonly<Record<string, string>>;
  /** Portico's own: the arguments of fields below the action, if the operation selects such fields. */
  readonly field_arguments?: readonly FieldArguments[];
  /** Where and with which credential the webhook of a job reports its progress, see docs/jobs.md. */
  readonly progress?: { readonly url: string; readonly token: string } | undefined;
}

/**
 * Builds the body of a call.
 *
 * @param values the values of one object, or of many.
 * @param query the client's operation. Null for asynchronous actions.
 * @param own members that only some calls have.
 */
export function webhookPayload(
  action: string,
  values: Pick<WebhookPayload, 'input'> | Pick<WebhookPayload, 'inputs'>,
  query: string | null,
  { variables }: Pick<OperationContext['session'], 'variables'>,
  own?: Pick<WebhookPayload, 'field_arguments' | 'progress'>,
): WebhookPayload {
  return { action: { name: action }, ...values, request_query: query, session_variables: variables, ...own };
}

export type ActionRequest = Required<Pick<UpstreamRequest, 'url' | 'method' | 'headers'>> & { readonly body?: string };

/**
 * Builds the request to a webhook. Configured headers take precedence over the gateway's headers, which take precedence
 * over the client's headers. A transform may replace everything but the signature and the assertion.
 *
 * @throws KritiEvaluationError or UnusableRequest if the transform does not fit the values.
 */
export function webhookRequest(
  target: ActionWebhookTarget,
  payload: WebhookPayload,
  context: OperationContext,
): ActionRequest {
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
  const before = { ...target.forwardHeaders?.(context.clientHeaders), ...commonHeaders(context), ...target.headers };
  const request: WebhookRequest = transform
    ? transformedRequest({ ...bindingsOf(target, payload), headers: before }, transform)
    : { url, method: 'POST', headers: before, body: JSON.stringify(payload) };
  const headers: Record<string, string> = { ...request.headers };
  // Only the gateway signs calls: a client's signature header is dropped.
  delete headers[SIGNATURE_HEADER];
  if (signingSecret !== undefined)
    headers[SIGNATURE_HEADER] = webhookSignature(signingSecret, request.body ?? '', Date.now());
  if (assertion) headers[ASSERTION_HEADER] = assertion.forSession(context.session);
  return { ...request, headers };
}

/** Returns the headers that all calls share, or undefined if client headers or settings change them. */
export function plainHeaders({
  headers,
  forwardHeaders,
}: Pick<ActionWebhookTarget, 'headers' | 'forwardHeaders'>): readonly string[] | undefined {
  if (forwardHeaders || [...CALL_HEADERS, SIGNATURE_HEADER, ASSERTION_HEADER].some((name) => name in headers))
    return undefined;
  return Object.entries({ ...COMMON_HEADERS, ...headers }).flat();
}

/** The context of request templates. Response templates see it as `$request`. */
export function actionBindings(target: ActionWebhookTarget, payload: WebhookPayload): Bindings {
  return requestBindings(bindingsOf(target, payload));
}

function bindingsOf({ url }: ActionWebhookTarget, payload: WebhookPayload) {
  return { url, payload, sessionVariables: payload.session_variables };
}
