export { compareRows } from './comparison.ts';
export { describeMachine } from './machine.ts';
export { type Results, versionsOf } from './results.ts';
export { markdownTable } from './table.ts';
export { resultsText } from './text.ts';
export { writeBenchResults } from './write.ts';
