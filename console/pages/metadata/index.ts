export { MetadataPage as default } from './metadata-page.tsx';
