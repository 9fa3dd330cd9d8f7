export { MIN_SECRET_LENGTH, SIGNATURE_HEADER, webhookSignature } from './portico-signature.ts';
export {
  requestBindings,
  transformedRequest,
  type UntransformedRequest,
  UnusableRequest,
  type WebhookRequest,
} from './request-transform.ts';
