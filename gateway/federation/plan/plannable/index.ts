export { withCommonProvides } from './common-provides.ts';
export { hasInterfaceObjects } from './joins.ts';
export { withResolvedInterfaceFields } from './keyed-interfaces.ts';
export { fieldNameOf, withNamedArguments } from './named-arguments.ts';
export { withSingleOwners } from './single-owners.ts';
