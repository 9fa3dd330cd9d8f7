export { profileRow } from './profile-row.ts';
export { type CpuProfile, groupOf, summarise } from './summary.ts';
