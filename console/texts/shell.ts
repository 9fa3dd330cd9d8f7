export const shell = {
  product: 'Portico',
  title: (page: string) => `${page} · Portico console`,
  skipToContent: 'Skip to content',
  navigation: 'Pages',
  menu: 'Menu',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  role: 'Role',
  logOut: 'Log out',
  caller: {
    label: 'Logged in as',
    user: (name: string, tenant: string) => `${name} at ${tenant}`,
    kinds: {
      login: 'Account',
      token: 'Access token',
      'service-account': 'Service account',
      'admin-secret': 'Admin secret',
    },
  },
  groups: { build: 'Build', plugIn: 'Plug in', administer: 'Administer', you: 'You' },
  loading: 'Loading…',
  alsoAt: (places: string) => `also at ${places}`,
  leaveUnsaved: 'What you have edited here is not saved. Leave the page and drop it?',
  retry: 'Try again',
  retryOf: (what: string) => `Try again: ${what}`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser does not permit it: select the text',
  neededRole: (needed: readonly string[], own: string) =>
    `This page needs the role ${needed.join(' or ')}. Yours is ${own || 'none'}: pick another one at the top if you have it.`,
  notFound: {
    title: 'No such page',
    text: 'This address leads to no page of the console.',
    back: 'Go to the explorer',
  },
  notLoaded: {
    title: 'This page could not be loaded',
    text: (staysLoggedIn: boolean) =>
      `The console may have been updated while it was open, or the gateway cannot be reached. A reload of the browser ${staysLoggedIn ? 'keeps you logged in' : 'logs you out'}.`,
    reload: 'Reload',
  },
  crashed: {
    title: 'This page has failed',
    text: 'The rest of the console still works. Try again, or reload the page.',
  },
  errors: {
    unreachable: 'The gateway cannot be reached. Check the connection, and try again.',
    withCode: (message: string, code: string) => `${message} (${code})`,
    requestId: (id: string) => `Request ${id}`,
  },
} as const;
