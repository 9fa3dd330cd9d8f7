import { createHash } from 'node:crypto';
import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { ChildSpec } from './child.ts';
import { COMPILED_DIR } from './config.ts';
import type { RestartableChild } from './restartable.ts';
import type { Screen } from './screen.ts';

// Why not `node --watch`: in Node 20.20 it notices one of six successive atomic replacements of a file, which is how
// build/compile.mjs writes, takes 43 MB more for each service, and gives a service with port 0 another port each time.

/** Written last whenever anything has been compiled, see build/compile.mjs. */
const COMPILED_STAMP = '.compiled.json';

/** Code of every service, beside its own room. */
const SHARED_ROOM = 'platform';

/** The process that keeps the compiled code of the package in `packageDir` up to date. */
export function compilerProcess(packageDir: string, environment: NodeJS.ProcessEnv): ChildSpec {
  return { name: 'compiler', script: join(COMPILED_DIR, 'start/compiler.js'), arguments: [packageDir], environment };
}

/** Restarts each service when code of its own has been recompiled. Watches until closed. */
export function restartOnChange(children: readonly RestartableChild[], screen: Screen): FSWatcher {
  const seen = new Map(children.map((child) => [child, codeFingerprint(child)]));
  let working: Promise<unknown> = Promise.resolve();

  async function restartChanged() {
    for (const child of children) {
      const now = codeFingerprint(child);
      if (now === seen.get(child)) continue;
      seen.set(child, now);
      screen.say(`restarting ${child.name}`);
      await child.restart();
    }
  }

  return watch(COMPILED_DIR, (_event, name) => {
    if (name !== COMPILED_STAMP) return;
    working = working.then(restartChanged).catch((error) => screen.complain(String(error)));
  });
}

function codeFingerprint(child: RestartableChild): string {
  const hash = createHash('sha256');
  for (const room of [SHARED_ROOM, child.spec.room]) {
    const directory = join(COMPILED_DIR, room);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    for (const name of files.sort()) hash.update(name).update(readFileSync(join(directory, name)));
  }
  return hash.digest('hex');
}
