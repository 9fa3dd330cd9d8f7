export { measureTurns, type TurnsPlan } from './measure-turns.ts';
