// Before all suites: what they start runs compiled code, so that what has changed is compiled first. A suite that compiled it
// would do so beside others, which would run what is half compiled or old.
import { fileURLToPath } from 'node:url';
import { compile } from '../build/compile.mjs';
import { bundlePackages } from '../build/packages.mjs';
import findServices from './services.mjs';

const packageDir = fileURLToPath(new URL('..', import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);

export default async function setUp() {
  await bundlePackages(packageDir, () => say('bundling packages'));
  await compile(packageDir, (files) => say(`compiling ${files} files`));
  await findServices();
}
