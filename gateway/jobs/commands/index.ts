export { type JobCommandCaller, JobCommands } from './job-commands.ts';
