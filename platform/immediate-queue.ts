/**
 * A queue whose jobs run together, in order, in one `setImmediate`: after the event loop has handled all events of the current
 * iteration.
 *
 * Writes to sockets are cheapest then. A write wakes the process at the other end, which costs more than the write itself. If
 * an iteration writes all of its output together, the first write wakes the reader, which then finds the others. Between busy
 * processes, this saves a fifth of the processor time of a small request. An idle process does not wait at all.
 */
export class ImmediateQueue<Job> {
  readonly #perform: (job: Job) => void;
  readonly #failed: (job: Job, error: unknown) => void;
  #jobs: Job[] = [];

  /**
   * @param perform runs one job.
   * @param failed called with a job that threw, and the error. The other jobs still run. It must not throw.
   */
  constructor(perform: (job: Job) => void, failed: (job: Job, error: unknown) => void) {
    this.#perform = perform;
    this.#failed = failed;
  }

  add(job: Job): void {
    if (this.#jobs.push(job) === 1) setImmediate(() => this.#performAll());
  }

  #performAll(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const job of jobs) {
      try {
        this.#perform(job);
      } catch (error) {
        this.#failed(job, error);
      }
    }
  }
}
