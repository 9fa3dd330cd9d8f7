export { assetUrl, compiledFile, packageDirectory } from './package-files.ts';
export { sourcePositions } from './source-positions.ts';
