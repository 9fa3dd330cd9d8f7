// The first script of a preloaded child: `preload.js <script> <module>...` loads the modules, waits for the message to
// begin, and then goes on as if the script had been started alone.
import { pathToFileURL } from 'node:url';
import type { BeginMessage } from './child.ts';

const [node = '', , script = '', ...modules] = process.argv;

// Asked for before the modules are loaded, so that no message is lost.
const begin = new Promise<BeginMessage>((resolve) => process.once('message', resolve));
// One after the other: a module opens the files of all its own at once.
for (const module of modules) await import(pathToFileURL(module).href);
const { environment } = await begin;

Object.assign(process.env, environment);
process.argv = [node, script];
await import(pathToFileURL(script).href);
