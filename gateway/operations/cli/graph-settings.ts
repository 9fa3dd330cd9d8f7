import { SettingsError } from '../../../platform/index.ts';
import { type GraphSettings, readGraphSettings } from '../../config.ts';

/** The settings that decide what the graph is; none where they are wrong. */
export function readableGraphSettings(environment: NodeJS.ProcessEnv): Partial<GraphSettings> {
  try {
    return readGraphSettings(environment);
  } catch (error) {
    // Their problems are reported with the other settings.
    if (error instanceof SettingsError) return {};
    throw error;
  }
}
