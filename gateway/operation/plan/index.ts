export type { SubscriptionPlan } from './events-plan.ts';
export { type Plans, plansOf } from './plan.ts';
