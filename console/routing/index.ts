export { followLink, goTo, hrefOf, parameters, path, pathWith, placeState } from './router.ts';
export { useUnsaved } from './unsaved.ts';
