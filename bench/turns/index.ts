export { loadSeconds, measureTurns, type TurnsPlan } from './measure-turns.ts';
export { type ProcessTurns, turnsTable } from './summary.ts';
