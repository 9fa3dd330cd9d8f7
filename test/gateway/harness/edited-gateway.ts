import { type GatewayOptions, openGateway, type TestGateway } from './gateway.ts';
import { type MetadataDirectory, metadataDirectory } from './metadata-directory.ts';
import type { Answer } from './send.ts';

export const ADMIN_SECRET = 'correct-horse-battery-staple';

export interface EditedGateway extends TestGateway {
  readonly metadata: MetadataDirectory;
  /** Sends a command to `/v1/metadata`, as an admin. */
  command<Body = Record<string, unknown>>(type: string, args?: object): Promise<Answer<Body>>;
  /** Writes files of the metadata and has them reloaded. */
  edit(files: Readonly<Record<string, unknown>>, args?: object): Promise<Answer<Record<string, unknown>>>;
  health(): Promise<string>;
  /** The lines of the log that hold this text. */
  logged(text: string): readonly Record<string, unknown>[];
}

/** A gateway whose metadata is edited while it runs. It does not watch the files unless it is told to. */
export async function openEditedGateway(
  files: Readonly<Record<string, unknown>>,
  options: Omit<GatewayOptions, 'metadata'>,
): Promise<EditedGateway> {
  const metadata = metadataDirectory(files);
  const environment = {
    HASURA_GRAPHQL_METADATA_DIR: metadata.path,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    PORTICO_METADATA_WATCH: 'false',
    ...options.environment,
  };
  const gateway = await openGateway({ ...options, environment }).catch((error: unknown) => {
    metadata.close();
    throw error;
  });
  const command: EditedGateway['command'] = (type, args) =>
    gateway.post('/v1/metadata', { type, args }, { 'x-hasura-admin-secret': ADMIN_SECRET });
  return {
    ...gateway,
    metadata,
    command,
    edit: (changed, args) => {
      metadata.write(changed);
      return command('reload_metadata', args);
    },
    health: async () => (await gateway.send('/healthz')).text,
    logged: (text) =>
      gateway
        .logs()
        .split('\n')
        .filter((line) => line.includes(text))
        .map((line) => JSON.parse(line)),
    close: async () => {
      await gateway.close();
      metadata.close();
    },
  };
}
