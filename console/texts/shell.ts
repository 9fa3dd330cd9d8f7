export const shell = {
  product: 'Portico',
  startPage: 'Start page of the gateway',
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
  leaveUnsaved: 'You have unsaved changes. Leave the page and discard them?',
  retry: 'Try again',
  retryOf: (what: string) => `Try again: ${what}`,
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser does not allow copying. Select the text instead.',
  neededRole: (needed: readonly string[], own: string) =>
    `This page requires the role ${needed.join(' or ')}. Your role is ${own || 'none'}. If you have another role, choose it at the top.`,
  notFound: {
    title: 'Page not found',
    text: 'The console has no page at this address.',
    back: 'Go to the explorer',
  },
  notLoaded: {
    title: 'This page could not be loaded',
    text: (staysLoggedIn: boolean) =>
      `The console may have been updated while it was open, or the gateway cannot be reached. Reloading the page ${staysLoggedIn ? 'keeps you logged in' : 'logs you out'}.`,
    reload: 'Reload',
  },
  crashed: {
    title: 'Something went wrong on this page',
    text: 'The rest of the console still works. Try again, or reload the page.',
  },
  errors: {
    unreachable: 'The gateway cannot be reached. Check your connection and try again.',
    withCode: (message: string, code: string) => `${message} (${code})`,
    requestId: (id: string) => `Request ID: ${id}`,
  },
} as const;
