import { z } from 'zod';
import { mapping } from './mapping.ts';
import { name } from './shared-shapes.ts';

/** `graphql_schema_introspection.yaml`: roles that may not ask for the schema. */
export const introspectionShape = mapping({ disabled_for_roles: z.array(name).default([]) });
