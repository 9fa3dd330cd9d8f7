export { KeysPage as default } from './keys-page.tsx';
