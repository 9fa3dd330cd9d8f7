/** Roles of the metadata that see the fields of operators; whether a caller is one, the auth service decides. */
export const OPERATOR_ROLES: ReadonlySet<string> = new Set(['platform_operator']);

/** Roles of the metadata that see fields of administrators. */
export const ADMINISTRATOR_ROLES: ReadonlySet<string> = new Set(['tenant_admin', ...OPERATOR_ROLES]);
