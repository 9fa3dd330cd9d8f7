export { judge, skipped, type Verdict } from './judge.ts';
export { verdictTable, verdictWord } from './table.ts';
export { writeResults } from './write.ts';
