// The first script of a preloaded child: `preload.js <script> <module>...` loads the modules, waits for the message to
// begin, and then runs the script as if it had been started directly. With it a later `npm start` is ready in 19 s in place
// of 28 s on two cores at a load of 40 (medians of seven, alternating).
import { pathToFileURL } from 'node:url';
import type { BeginMessage } from './child.ts';

const [node = '', , script = '', ...modules] = process.argv;

// Listens before the modules are loaded, so that no message is lost.
const beginMessage = new Promise<BeginMessage>((resolve) => process.once('message', resolve));
// One after the other: a module opens the files of all its own at once.
for (const module of modules) await import(pathToFileURL(module).href);
const { environment } = await beginMessage;

Object.assign(process.env, environment);
process.argv = [node, script];
await import(pathToFileURL(script).href);
