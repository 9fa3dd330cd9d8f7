/** The titles of the pages of administrators. Their other texts are loaded with them. */
export const administrationPages = {
  users: 'Users',
  clients: 'Service accounts',
  throttled: 'Throttled accounts',
  tenants: 'Tenants',
  audit: 'Audit log',
  keys: 'Signing keys',
  jobs: 'Jobs',
} as const;
