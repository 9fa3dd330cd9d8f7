export const throttled = {
  lead: 'Users who temporarily cannot log in after too many failed logins.',
  refresh: 'Refresh',
  list: 'Throttled accounts',
  count: (count: number, hasMore: boolean) =>
    `${count === 0 ? 'No throttled accounts' : count === 1 ? '1 throttled account' : `${count} throttled accounts`}${hasMore ? ' among these 1,000 users.' : '.'}`,
  name: 'User',
  until: 'Throttled until',
  actions: 'Actions',
  release: 'Release',
  releaseOf: (name: string) => `Release ${name}`,
  released: (name: string) => `${name} can log in again.`,
  notManageable: 'you may not release this account',
} as const;
