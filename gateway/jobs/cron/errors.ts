/** An invalid cron expression or time zone. The message describes the problem for the file's author. */
export class CronSyntaxError extends Error {
  /** The invalid part. */
  readonly subject: 'expression' | 'time zone';

  constructor(subject: CronSyntaxError['subject'], message: string) {
    super(message);
    this.name = 'CronSyntaxError';
    this.subject = subject;
  }
}
