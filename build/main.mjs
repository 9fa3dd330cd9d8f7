// `npm run build`: the database client, then the compiled code.
import { fileURLToPath } from 'node:url';
import { generateClient } from '../prisma/generate.mjs';
import { compile } from './compile.mjs';

await generateClient();
await compile(fileURLToPath(new URL('..', import.meta.url)));
