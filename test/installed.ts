import { spawnSync } from 'node:child_process';

/** Whether a command of this machine is installed. Where it is not, standard error has what is therefore not tested. */
export function isInstalled(command: string, untested: string): boolean {
  const isThere = spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
  if (!isThere) process.stderr.write(`\nNOT TESTED: ${untested}: ${command} is not installed\n`);
  return isThere;
}
