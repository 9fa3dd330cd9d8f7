export const throttled = {
  lead: 'Users whose passwords are not checked at the moment, after too many failed logins.',
  refresh: 'Look again',
  list: 'Throttled accounts',
  count: (count: number, hasMore: boolean) =>
    `${count === 0 ? 'No account has to wait' : count === 1 ? '1 account has to wait' : `${count} accounts have to wait`}${hasMore ? ' among these 1,000 users.' : '.'}`,
  name: 'User',
  until: 'Has to wait until',
  actions: 'Actions',
  release: 'Release',
  releaseOf: (name: string) => `Release ${name}`,
  released: (name: string) => `${name} can log in at once.`,
  notManageable: 'not yours to release',
} as const;
