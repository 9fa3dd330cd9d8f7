export { withCommonProvides } from './common-provides.ts';
export { hasInterfaceObjects } from './joins.ts';
export { withResolvedInterfaceFields } from './keyed-interfaces.ts';
export { withSingleOwners } from './single-owners.ts';
