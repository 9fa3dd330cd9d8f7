import { mapping } from './mapping.ts';
import { listOf, name } from './shared-shapes.ts';

/** `graphql_schema_introspection.yaml`: roles that may not ask for the schema. */
export const introspectionShape = mapping({ disabled_for_roles: listOf(name) });
