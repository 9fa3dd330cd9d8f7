import { SettingsError } from '../../../platform/index.ts';
import { type GraphSettings, readGraphSettings } from '../../config.ts';

/** Returns the settings of the graph, or none if they are invalid. */
export function readableGraphSettings(environment: NodeJS.ProcessEnv): Partial<GraphSettings> {
  try {
    return readGraphSettings(environment);
  } catch (error) {
    // Problems are reported with the other settings.
    if (error instanceof SettingsError) return {};
    throw error;
  }
}
