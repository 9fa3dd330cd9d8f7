export type { SubscriptionPlan } from './events-plan.ts';
export type { Plan, PlanPart } from './operation-plan.ts';
export { type Plans, plansOf } from './plan.ts';
