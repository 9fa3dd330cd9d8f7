export { type Customization, type CustomizedSchema, customize, hasUsualRoots, rename } from './customization.ts';
export { type Unwrapped, unwrapNamespace } from './namespace.ts';
export { renameTypesAt, type TypeNamePlaces, typeNamePlaces } from './type-names.ts';
