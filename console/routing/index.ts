export { followLink, goTo, hrefOf, path } from './router.ts';
