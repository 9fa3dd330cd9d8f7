export type { Plan, PlanPart } from './operation-plan.ts';
export { type Plans, plansOf } from './plan.ts';
export type { SubscriptionPlan } from './subscription-plan.ts';
