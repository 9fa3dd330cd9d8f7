export { type DemoAccount, parseDemoAccounts } from './demo-accounts.ts';
export { HOME_PATHS, homePage, isBrowserVisit } from './home-page.ts';
