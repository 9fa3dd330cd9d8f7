export { UsageError } from '../../platform/command-line.ts';

/** Something that cannot be done. Its message is for the operator; the exit code is 1. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}
