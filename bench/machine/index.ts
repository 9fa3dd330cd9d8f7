export { type Cores, chooseCores, parseCoreList } from './cores.ts';
export { Crew, type CrewMember, type ProcessSpec } from './crew.ts';
export { askLoopDelay, type LoopDelay } from './event-loop.ts';
export { freePort } from './free-port.ts';
export { processTree, type Usage, usageOf } from './process-tree.ts';
export { until } from './until.ts';
