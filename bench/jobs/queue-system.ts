import type { GroupProcess } from '../machine/index.ts';
import type { BenchDependencies } from '../targets/index.ts';

/** What every job carries, and its webhook is sent. */
export interface BenchJob {
  readonly tenant: string;
  readonly number: number;
}

/** Jobs that one process runs at a time, in each of the systems. */
export const JOB_CONCURRENCY = 20;

/** The process of a system that accepts jobs over HTTP. */
export interface JobAcceptor {
  readonly process: GroupProcess;
  /** @returns whether the job was accepted. */
  enqueue(job: BenchJob): Promise<boolean>;
  stop(): Promise<void>;
}

/** Something that accepts jobs and runs them later, on PostgreSQL, each in a process of its own. */
export interface QueueSystem {
  readonly name: string;
  readonly title: string;
  version(): string | undefined;
  startAcceptor(databaseUrl: string, webhookUrl: string, dependencies: BenchDependencies): Promise<JobAcceptor>;
  startRunner(databaseUrl: string, webhookUrl: string, dependencies: BenchDependencies): Promise<GroupProcess>;
  /** Adds finished jobs as the system keeps them. Undefined where it deletes them at once: `$1` is how many. */
  readonly keepFinished: string | undefined;
}
