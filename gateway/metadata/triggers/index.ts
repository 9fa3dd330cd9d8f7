export { type CronTriggerMetadata, cronTriggersShape, webhookUrl } from './cron-triggers.ts';
export {
  type DeliveriesMetadata,
  deliveriesShape,
  type ProducerMetadata,
  type SubscriptionMetadata,
} from './deliveries.ts';
export { type RetryConf, retryConf, SCHEDULE_RETRIES } from './retry-conf.ts';
