export { DELIVERY_HEADERS, deliverWebhook, type WebhookDelivery } from './deliver.ts';
export { leaveToNewerMetadata } from './newer-metadata.ts';
export { type HandlerRunOfJob, runHandlerOfJob } from './run-handler.ts';
export { openWebhook, type WebhookDependencies, type WebhookState, type WebhookTarget } from './webhook-target.ts';
