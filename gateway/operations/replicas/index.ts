export { type DocumentStore, openDocumentStore } from './document-store.ts';
export { openReloadMarks, type ReloadMarks, type ReloadMarksOptions } from './reload-marks.ts';
