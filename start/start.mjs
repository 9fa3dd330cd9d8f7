// What `npm start` and the other commands of package.json run: compiles what has changed, and launches. The database
// client is generated meanwhile, which only the auth service needs, and the console is built, which the gateway needs last.
import '../build/node-version.mjs';
import { fileURLToPath } from 'node:url';
import { stopBundler } from '../build/bundler.mjs';
import { compile } from '../build/compile.mjs';
import { buildConsole } from '../build/console.mjs';
import { bundlePackages } from '../build/packages.mjs';
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
  // Everything else works without it.
  const consoleBuilt = buildConsole(packageDir, () => say('building the console')).catch((error) =>
    process.stderr.write(`portico: the console could not be built: ${error.message}\n`),
  );
  await bundlePackages(packageDir, () => say('bundling packages'));
  await compile(packageDir, sayFiles);
  await consoleBuilt;
  await stopBundler();
  const { launch } = await import('../dist/start/launch.js');
  launch(
    words,
    generated.then(async (changed) => {
      if (!changed) return;
      await compile(packageDir);
      await stopBundler();
    }),
  );
} catch (error) {
  process.stderr.write(`portico: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
