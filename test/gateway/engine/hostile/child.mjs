// Tries cases one after the other, and writes a line for each: a process of its own, since a planner may end it, or never return.
import { register } from 'node:module';

register(new URL('../../../native-modules/hooks.cjs', import.meta.url));
const { openTrial } = await import('./trial.ts');
const [mode, ...indexes] = process.argv.slice(2);
const tryCase = openTrial(mode === 'timed');
for (const index of indexes.map(Number)) {
  process.send({ index });
  process.send(await tryCase(index));
}
process.exit();
