export { type Customization, type CustomizedSchema, customize, hasUsualRoots, rename } from './customization.ts';
export { singleNamespace, unwrapSeveral, unwrapSingle } from './namespace.ts';
export { type NamespaceWrapping, wrapSeveral, wrapSingle } from './namespace-response.ts';
export { type TypeNamePlaces, typeNamePlaces } from './type-names.ts';
