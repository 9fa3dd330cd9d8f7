// What `npm start` and the other commands of package.json run: compiles what has changed, and launches. The database
// client is generated meanwhile; only the auth service needs it.
import { fileURLToPath } from 'node:url';
import { compile } from '../build/compile.mjs';
import { generateClient } from '../prisma/generate.mjs';

const packageDir = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
// Standard output belongs to what a command of the auth service prints.
const progress = words[0] === 'portico-auth' ? process.stderr : process.stdout;
const say = (text) => progress.write(`${text}\n`);
const sayFiles = (files) => say(`compiling ${files} ${files === 1 ? 'file' : 'files'}`);

try {
  const generated = generateClient(() => say('generating the database client'));
  generated.catch(() => {});
  await compile(packageDir, sayFiles);
  const { launch } = await import('../dist/start/launch.js');
  launch(
    words,
    generated.then(async (changed) => {
      if (changed) await compile(packageDir);
    }),
  );
} catch (error) {
  process.stderr.write(`portico: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
