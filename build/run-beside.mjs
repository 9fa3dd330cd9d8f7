import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs commands of `node_modules/.bin` at the same time, all of them to their ends, with the output of this process.
 *
 * @param {string} packageDir
 * @param {readonly (readonly string[])[]} commands each with its arguments
 * @returns {Promise<number>} the exit code: 0 when all have succeeded, otherwise 1
 * @throws when one of them is not there
 */
export async function runBeside(packageDir, commands) {
  const succeeded = await Promise.all(
    commands.map(
      ([command, ...args]) =>
        new Promise((resolve, reject) => {
          const child = spawn(join(packageDir, 'node_modules/.bin', command), args, {
            cwd: packageDir,
            stdio: 'inherit',
          });
          child.once('error', reject).once('close', (code) => resolve(code === 0));
        }),
    ),
  );
  return succeeded.every(Boolean) ? 0 : 1;
}
