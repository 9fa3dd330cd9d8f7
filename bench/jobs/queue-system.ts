import type { GroupProcess } from '../machine/index.ts';
import type { BenchDependencies } from '../targets/index.ts';

/** The data of every job, which its webhook receives. */
export interface BenchJob {
  readonly tenant: string;
  readonly number: number;
}

/** How many jobs one process runs at a time, in each of the systems. */
export const JOB_CONCURRENCY = 20;

/** The process of a system that accepts jobs over HTTP. */
export interface JobAcceptor {
  readonly process: GroupProcess;
  /** @returns whether the job was accepted. */
  enqueue(job: BenchJob): Promise<boolean>;
  stop(): Promise<void>;
}

/** A system that accepts jobs and runs them later, on PostgreSQL, each in its own process. */
export interface QueueSystem {
  readonly name: string;
  readonly title: string;
  version(): string | undefined;
  startAcceptor(databaseUrl: string, webhookUrl: string, dependencies: BenchDependencies): Promise<JobAcceptor>;
  startRunner(databaseUrl: string, webhookUrl: string, dependencies: BenchDependencies): Promise<GroupProcess>;
  /** A statement that adds `$1` finished jobs as the system keeps them. Undefined if the system deletes them immediately. */
  readonly keepFinished: string | undefined;
}
