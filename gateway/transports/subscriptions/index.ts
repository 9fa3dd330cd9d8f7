export type { SubscriptionLimits } from './limits.ts';
export { openSubscriptions, type Subscriptions, type SubscriptionsOptions } from './subscriptions.ts';
