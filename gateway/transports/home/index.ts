export { type DemoAccount, parseDemoAccounts } from './demo-accounts.ts';
export { HOME_PATHS, homePage, isBrowserVisit, isHomePath } from './home-page.ts';
export type { VisibleApi } from './offer.ts';
