/** A cron expression or a time zone that is none. The message says what is wrong with it, for the writer of the file. */
export class CronSyntaxError extends Error {
  /** What is wrong. */
  readonly subject: 'expression' | 'time zone';

  constructor(subject: CronSyntaxError['subject'], message: string) {
    super(message);
    this.name = 'CronSyntaxError';
    this.subject = subject;
  }
}
