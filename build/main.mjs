// `npm run build`: the database client, the console, the bundled packages, then the compiled code of the product and of the
// tools.
import './node-version.mjs';
import { fileURLToPath } from 'node:url';
import { generateClient } from '../prisma/generate.mjs';
import { compile, TOOLS } from './compile.mjs';
import { buildConsole } from './console.mjs';
import { MissingDependencies } from './missing-dependencies.mjs';
import { bundlePackages } from './packages.mjs';

const packageDir = fileURLToPath(new URL('..', import.meta.url));
try {
  await generateClient();
  await buildConsole(packageDir);
  await bundlePackages(packageDir);
  await compile(packageDir);
  await compile(packageDir, undefined, TOOLS);
} catch (error) {
  if (!(error instanceof MissingDependencies)) throw error;
  process.stderr.write(`portico: ${error.message}\n`);
  process.exitCode = 1;
}
