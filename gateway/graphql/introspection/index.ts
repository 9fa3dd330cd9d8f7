export { introspectionDepth } from './introspection-depth.ts';
export { Introspections, type SchemaIntrospection } from './introspections.ts';
