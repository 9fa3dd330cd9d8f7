export { followLink, goTo, hrefOf, parameters, path, pathWith, placeState } from './router.ts';
