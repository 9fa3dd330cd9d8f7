export { type Cores, chooseCores, parseCoreList } from './cores.ts';
export { type LoopDelay, readLoopDelay } from './event-loop.ts';
export { freePort } from './free-port.ts';
export { type GroupProcess, ProcessGroup, type ProcessSpec } from './process-group.ts';
export { exactCpuNs, processTree, processUsage, type Usage } from './process-tree.ts';
export { until } from './until.ts';
