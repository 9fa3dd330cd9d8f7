import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { COMPILED_DIR, type StartSettings } from './config.ts';
import { prepareDataDir } from './data-dir.ts';
import { developmentSecretsFor } from './development-secrets.ts';
import type { Screen } from './screen.ts';
import { startedDatabaseUrl } from './seed-demo.ts';
import type { ServiceGroup } from './service-group.ts';
import { authServiceSpec } from './services.ts';

/**
 * Runs the operators' command line of the auth service on the database that `npm start` with the same environment uses,
 * running or not. Standard input, output and the exit code are those of the command.
 *
 * @returns its exit code.
 */
export async function porticoAuth(
  words: readonly string[],
  settings: StartSettings,
  group: ServiceGroup,
  screen: Screen,
): Promise<number> {
  prepareDataDir(settings.dataDir);
  // Standard output is the command's.
  const url = await startedDatabaseUrl(settings, group, { ...screen, say: screen.complain });
  const { environment } = authServiceSpec(settings, url, developmentSecretsFor(settings));
  const child = spawn(process.execPath, [join(COMPILED_DIR, 'auth-service/cli/portico-auth.js'), ...words], {
    env: environment,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
