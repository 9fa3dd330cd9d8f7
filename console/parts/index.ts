export { Button } from './button.tsx';
export { CopyButton } from './copy-button.tsx';
export { Field } from './field.tsx';
export { ErrorNotice, Notice } from './notice.tsx';
export { PageHeader } from './page-header.tsx';
export { Problems } from './problems.tsx';
export { Select } from './select.tsx';
export { type Tab, Tabs } from './tabs.tsx';
export { type Loaded, useLoaded } from './use-loaded.ts';
