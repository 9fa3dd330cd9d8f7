export { type FaultVerdict, judgeFault, skipped } from './judge.ts';
export { verdictTable, verdictWord } from './table.ts';
export { writeFaultResults } from './write.ts';
