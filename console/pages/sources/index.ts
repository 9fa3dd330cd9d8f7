export { SourcesPage as default } from './sources-page.tsx';
