export { DELIVERY_HEADERS, deliver, SPARE_ATTEMPTS, type WebhookDelivery } from './deliver.ts';
export { openWebhook, type WebhookDependencies, type WebhookTarget } from './webhook-target.ts';
