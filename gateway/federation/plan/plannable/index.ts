export { withCommonProvides } from './common-provides.ts';
export { withSingleOwners } from './single-owners.ts';
