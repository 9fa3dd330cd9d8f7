// `npm run build`: the database client, then the compiled code of the product and of the tools.
import { fileURLToPath } from 'node:url';
import { generateClient } from '../prisma/generate.mjs';
import { compile, TOOLS } from './compile.mjs';

const packageDir = fileURLToPath(new URL('..', import.meta.url));
await generateClient();
await compile(packageDir);
await compile(packageDir, undefined, TOOLS);
