// Every text that the console shows is in this room, one file for each page.
export { account } from './account.ts';
export { administration } from './administration.ts';
export { administrationPages } from './administration-pages.ts';
export { audit } from './audit.ts';
export { clients } from './clients.ts';
export { explorer } from './explorer.ts';
export { graph } from './graph.ts';
export { deliveries, jobActs, jobQueues, jobsPage, jobView, schedules } from './jobs.ts';
export { keys } from './keys.ts';
export { login } from './login.ts';
export { metadata } from './metadata.ts';
export { rest } from './rest.ts';
export { schemaPage } from './schema.ts';
export { shell } from './shell.ts';
export { sources } from './sources.ts';
export { tenants } from './tenants.ts';
export { throttled } from './throttled.ts';
export { users } from './users.ts';
