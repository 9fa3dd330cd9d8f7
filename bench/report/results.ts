import type { Section, Throughput } from '../measurements/index.ts';
import type { Target } from '../targets/index.ts';
import type { ComparedRow } from './comparison.ts';
import type { MachineDescription } from './machine.ts';

/** All results of a run, in the form that is written as JSON. */
export interface Results {
  readonly measuredAt: string;
  readonly machine: MachineDescription;
  readonly load: string;
  readonly plan: {
    readonly connections: number;
    readonly seconds: number;
    readonly warmUpSeconds: number;
    readonly rounds: number;
    readonly pinned: boolean;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly rows: readonly ComparedRow[];
  readonly notMeasured: Throughput['notMeasured'];
  readonly extras: readonly Section[];
}

/** Returns the versions of the targets by family. */
export function versionsOf(targets: readonly Target[]): Record<string, string> {
  return Object.fromEntries(
    targets.flatMap(({ family, version }) => {
      const known = version?.();
      return known === undefined ? [] : [[family, known]];
    }),
  );
}
