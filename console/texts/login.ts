export const login = {
  title: 'Log in',
  lead: 'Explore the API available to your role.',
  expired: 'Your session has ended. Log in again to continue.',
  interrupted: {
    text: 'Your session has ended. Log in as the same user, with the password, to continue where you were: your input is still there. Any other login discards it.',
    leave: 'Log out and discard my input',
  },
  methods: 'Login methods',
  restore: 'Continue your session',
  password: {
    tab: 'Password',
    user: 'User',
    password: 'Password',
    tenant: 'Tenant ID',
    submit: 'Log in',
    notKept:
      'This page is served over plain HTTP, so the browser cannot keep your session. You are logged out when you reload the page or when the access token expires.',
  },
  service: {
    tab: 'Service account',
    id: 'Client ID',
    secret: 'Client secret',
    help: 'For operators. The secret is kept in memory until you log out or close this page.',
    submit: 'Log in as service account',
    refused: 'The client ID or the secret is wrong, or the service account is revoked.',
  },
  token: {
    tab: 'Access token',
    label: 'Access token',
    help: 'A JWT from any issuer that the gateway trusts. It is kept in memory and is not refreshed.',
    submit: 'Use this token',
    invalid: 'This is not a JWT.',
  },
  admin: {
    tab: 'Admin secret',
    label: 'Admin secret',
    help: 'The secret is kept in memory until you log out or close this page.',
    submit: 'Use this secret',
    refused: 'The admin secret is wrong, or this gateway has none.',
  },
  demo: {
    title: 'Demo accounts',
    text: 'This gateway uses demo data. Click an account to log in:',
    account: (user: string, tenant: string) => `${user} at ${tenant}`,
  },
  refused: 'The user, the password or the tenant is wrong.',
  notRevoked: 'You are logged out here, but the session could not be revoked because the gateway cannot be reached.',
} as const;
