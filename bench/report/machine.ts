import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** The machine that the figures were measured on. */
export interface MachineDescription {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

export function describeMachine(): MachineDescription {
  return {
    processor: cpus()[0]?.model.trim() || 'unknown processor',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.versions.node,
  };
}
