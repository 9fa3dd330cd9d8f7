import type { Cluster } from './cluster/index.ts';
import type { Load, LoadAttempt } from './load/index.ts';

/** When the cause began and when it was gone, as in `performance.now()`. */
export interface Span {
  readonly beganAt: number;
  readonly goneAt: number;
  /** When what stands around it was seen to have noticed the cause; undefined where the fault does not look. */
  readonly noticedAt?: number | undefined;
}

/** What a fault is given to work with. */
export interface Scene {
  readonly cluster: Cluster;
  readonly load: Load;
  /** For things that a fault has to put right again whatever happens. Called in reverse order at its end. */
  onEnd(repair: () => unknown): void;
  /** For what has to be put right only when the fault has been judged. */
  afterwards(repair: () => unknown): void;
  /** Multiplies the times that are promised for recovery: a machine that runs other suites is slower than the promise assumes. */
  readonly patience: number;
  /** Waits, so that requests meet the fault. */
  wait(seconds: number): Promise<void>;
  /** Waits until `condition` is true. @returns false where it was not within so many seconds. */
  until(condition: () => boolean | Promise<boolean>, withinSeconds: number): Promise<boolean>;
  /** Notes that the processes around it have noticed the cause: what is sent later is not lost with it. */
  noticed(): void;
  /** Notes that the cause is gone before `run` ends. The time to heal counts from here. */
  gone(): void;
  /** Notes that the fault was seen to take effect, by other means than a failed request. */
  tookEffect(): void;
  /** Says that something else was not as promised. */
  broken(problem: string): void;
  say(text: string): void;
}

/** One fault of the suite, and what is promised when it happens. */
export interface Fault {
  readonly name: string;
  /** Faults of one group can be asked for by its name. */
  readonly group: string;
  readonly promise: string;
  /** Which failed requests the promise allows. None when absent. */
  readonly allows?: (failed: LoadAttempt, span: Span) => boolean;
  /** Which failed requests show that the fault took effect. Absent: `run` has to note it by `tookEffect`. */
  readonly isEffect?: (failed: LoadAttempt, span: Span) => boolean;
  /** How long after the cause is gone requests may still fail in the ways that are allowed, in seconds. Default: 0. */
  readonly healsWithinSeconds?: number;
  /** Whether accepted writes are looked for at the end. */
  readonly checksWrites?: boolean;
  /** Why it cannot be tried here; undefined where it can. */
  readonly missing?: (cluster: Cluster) => string | undefined;
  /** Makes the fault, and takes its cause away. */
  readonly run: (scene: Scene) => Promise<void>;
}
