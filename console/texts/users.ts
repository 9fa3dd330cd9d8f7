export const users = {
  lead: 'The users of the tenant and their roles.',
  search: 'Start of a name, or user ID',
  add: 'Add a user',
  list: 'Users',
  count: (names: readonly string[]) =>
    names.length === 0
      ? 'No matching users.'
      : names.length === 1
        ? '1 user'
        : `${names.length} users, ${names[0]} to ${names.at(-1)}`,
  name: 'Name',
  roles: 'Roles',
  state: 'State',
  anyState: 'any',
  created: 'Created',
  all: 'All users',
  id: 'User ID',
  defaultRole: 'Default role',
  claims: 'Extra claims',
  none: 'none',
  notManageable:
    'This user has a role or a claim that administrators of the tenant may not assign, so they cannot change this user.',
  create: {
    title: 'Add a user',
    name: 'Name',
    password: 'Password',
    passwordHelp: 'Leave it empty to generate a password. The password is shown once.',
    submit: 'Add user',
    done: (name: string) => `${name} was added.`,
    secret: 'Generated password',
    secretText: (name: string) => `${name} logs in with this password. It is shown only once.`,
  },
  password: 'password',
  edit: {
    roles: 'Roles',
    rolesHelp: 'Changes take effect at the next login or refresh. Access tokens with a removed role are revoked.',
    claims: 'Extra claims',
    save: 'Save roles',
    saveClaims: 'Save claims',
    savedRoles: 'The roles were saved.',
    savedClaims: 'The claims were saved.',
  },
  actions: {
    title: 'Account',
    enable: 'Enable',
    enabled: (name: string) => `${name} can log in again.`,
    disable: 'Disable',
    disableTitle: (name: string) => `Disable ${name}?`,
    disableText:
      'The user is locked out immediately: all sessions end and all access tokens are revoked. You can enable the user again.',
    disabled: (name: string) => `${name} is locked out.`,
    reset: 'Reset password',
    resetTitle: (name: string) => `Reset the password of ${name}?`,
    resetText: 'A new password is generated and shown once. All sessions of the user end.',
    resetDone: 'New password',
    release: 'Clear failed logins',
    released: 'The failed logins were cleared. The user can log in immediately.',
    delete: 'Delete permanently',
    deleteTitle: (name: string) => `Delete ${name} permanently?`,
    deleteText:
      'The account, its sessions and all related data are deleted. This cannot be undone. The audit log keeps its entries, with the user ID only.',
    deleted: (name: string) => `${name} was deleted.`,
  },
  sessions: {
    title: 'Sessions',
    count: (count: number, areMore: boolean) => {
      if (areMore) return `The newest ${count} open sessions. There are more.`;
      return count === 0 ? 'No open sessions.' : count === 1 ? '1 open session' : `${count} open sessions`;
    },
    actions: 'Actions',
    device: 'Device',
    address: 'Address',
    created: 'Logged in',
    lastUsed: 'Last used',
    expires: 'Expires',
    unknown: 'unknown',
    end: 'End',
    endOf: (device: string) => `End the session on ${device}`,
    endAll: 'End all sessions',
    endAllTitle: (name: string) => `End all sessions of ${name}?`,
    endAllText: 'The user has to log in again everywhere. Access tokens are revoked.',
    ended: (count: number) => (count === 1 ? '1 session was ended.' : `${count} sessions were ended.`),
  },
  history: { title: 'Recent events', all: 'All events in the audit log' },
} as const;
