export { SchemaPage as default } from './schema-page.tsx';
