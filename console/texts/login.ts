export const login = {
  title: 'Log in',
  lead: 'Explore and run what your role may use.',
  expired: 'Your session has ended. Log in again to go on.',
  interrupted: {
    text: 'Your session has ended. Log in with the same user’s password to go on where you were: what you have typed is still there. Any other login drops it.',
    leave: 'Log out, and drop what is typed',
  },
  methods: 'How to log in',
  restore: 'Go on with your session',
  password: {
    tab: 'Password',
    user: 'User',
    password: 'Password',
    tenant: 'Tenant id',
    submit: 'Log in',
    notKept:
      'This address is plain HTTP, where browsers keep no session of the console: a reload logs you out, and so does the end of the access token.',
  },
  service: {
    tab: 'Service account',
    id: 'Client id',
    secret: 'Client secret',
    help: 'Operators administer with one. It is kept in memory until you log out or close this page.',
    submit: 'Log in as the service account',
    refused: 'Client id or secret is wrong, or the service account is revoked.',
  },
  token: {
    tab: 'Access token',
    label: 'Access token',
    help: 'A JWT of any issuer that the gateway trusts. It is kept in memory, and not refreshed.',
    submit: 'Use this token',
    invalid: 'This is not a JWT.',
  },
  admin: {
    tab: 'Admin secret',
    label: 'Admin secret',
    help: 'It is kept in memory until you log out or close this page.',
    submit: 'Use this secret',
    refused: 'This is not the admin secret of this gateway, or it has none.',
  },
  demo: {
    title: 'Demo accounts',
    text: 'This gateway runs on demo data. One click logs you in:',
    account: (user: string, tenant: string) => `${user} at ${tenant}`,
  },
  refused: 'User, password or tenant is wrong.',
  notRevoked: 'You are logged out here, but the session could not be revoked: the gateway cannot be reached.',
} as const;
