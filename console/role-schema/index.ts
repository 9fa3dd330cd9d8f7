export { loadRoleSchema } from './role-schema.ts';
