export const users = {
  lead: 'Who may log in to the tenant, with which roles.',
  search: 'Beginning of a name, or user id',
  add: 'Add a user',
  list: 'Users',
  count: (names: readonly string[]) =>
    names.length === 0
      ? 'No user matches.'
      : names.length === 1
        ? '1 user'
        : `${names.length} users, ${names[0]} to ${names.at(-1)}`,
  name: 'Name',
  roles: 'Roles',
  state: 'State',
  anyState: 'any',
  created: 'Created',
  all: 'All users',
  id: 'User id',
  defaultRole: 'Default role',
  claims: 'Extra claims',
  none: 'none',
  notManageable:
    'This user has a role or claim that administrators of the tenant may not give, so they cannot change it.',
  create: {
    title: 'Add a user',
    name: 'Name',
    password: 'Password',
    passwordHelp: 'Leave it empty to have one generated, which is shown once.',
    submit: 'Add the user',
    done: (name: string) => `${name} was added.`,
    secret: 'The generated password',
    secretText: (name: string) => `${name} logs in with it. It cannot be shown again.`,
  },
  password: 'password',
  edit: {
    roles: 'Roles',
    rolesHelp:
      'They count from the next login or refresh on. Access tokens with a role that is taken away are revoked.',
    claims: 'Extra claims',
    save: 'Save roles',
    saveClaims: 'Save claims',
    savedRoles: 'The roles were saved.',
    savedClaims: 'The claims were saved.',
  },
  actions: {
    title: 'Account',
    enable: 'Enable',
    enabled: (name: string) => `${name} may log in again.`,
    disable: 'Disable',
    disableTitle: (name: string) => `Disable ${name}?`,
    disableText: 'The user is locked out at once: all sessions end, all access tokens are revoked. It can be undone.',
    disabled: (name: string) => `${name} is locked out.`,
    reset: 'Reset password',
    resetTitle: (name: string) => `Reset the password of ${name}?`,
    resetText: 'A new password is generated and shown once. All sessions of the user end.',
    resetDone: 'The new password',
    release: 'Forget failed logins',
    released: 'Failed logins are forgotten: the right password is accepted at once.',
    delete: 'Delete for good',
    deleteTitle: (name: string) => `Delete ${name} for good?`,
    deleteText:
      'The account, its sessions and what is stored of them are erased. It cannot be undone. The audit log keeps what happened, by the user id.',
    deleted: (name: string) => `${name} was deleted.`,
  },
  sessions: {
    title: 'Sessions',
    count: (count: number, areMore: boolean) => {
      if (areMore) return `The newest ${count} open sessions. There are more.`;
      return count === 0 ? 'No open session.' : count === 1 ? '1 open session' : `${count} open sessions`;
    },
    actions: 'Actions',
    device: 'Device',
    address: 'Address',
    created: 'Logged in',
    lastUsed: 'Last used',
    expires: 'Ends at the latest',
    unknown: 'unknown',
    end: 'End',
    endOf: (device: string) => `End the session on ${device}`,
    endAll: 'End all sessions',
    endAllTitle: (name: string) => `End all sessions of ${name}?`,
    endAllText: 'The user has to log in again everywhere. Access tokens are revoked.',
    ended: (count: number) => (count === 1 ? '1 session was ended.' : `${count} sessions were ended.`),
  },
  history: { title: 'What happened to this user', all: 'All of it in the audit log' },
} as const;
