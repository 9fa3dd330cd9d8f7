// Node opens all files that a module needs at the same time. Those of the whole gateway are more than a process may have
// open where its limit is 256, so the rooms that need most are loaded before the rest.
await import('./composition/index.ts');
await import('./sources/index.ts');
const { serve } = await import('./process/index.ts');

serve(process.env);
