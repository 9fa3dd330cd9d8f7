export { type BroadcastRun, measureBroadcast, type Subscribers } from './measure-broadcast.ts';
export type { SwarmPlan } from './swarm-main.ts';
