export type { ConnectionLimits } from './limits.ts';
export { openSubscriptions, type Subscriptions, type SubscriptionsOptions } from './subscriptions.ts';
