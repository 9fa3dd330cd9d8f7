export { MIN_SECRET_LENGTH, SIGNATURE_HEADER, webhookSignature, webhookSignatures } from './portico-signature.ts';
export {
  requestBindings,
  transformedRequest,
  type UntransformedRequest,
  UnusableRequest,
  type WebhookRequest,
} from './request-transform.ts';
export { resolveSecrets } from './secrets.ts';
export { STANDARD_WEBHOOK_HEADERS, standardWebhookHeaders } from './standard-webhooks.ts';
