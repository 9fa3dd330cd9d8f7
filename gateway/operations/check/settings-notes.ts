import { SETTING_NAMES } from '../../config.ts';
import { describeSettings, hasuraSettings } from '../../hasura-settings.ts';
import type { IgnoredMetadata, MetadataProblem } from '../../metadata/index.ts';

const SETTINGS_ORIGIN = 'environment';

/**
 * Returns notes on Hasura settings that have no effect, or a different one, in Portico.
 *
 * @param metadata as written. The variables that it refers to are not settings.
 */
export function settingsNotes(
  environment: NodeJS.ProcessEnv,
  metadata: unknown,
): { readonly warnings: readonly MetadataProblem[]; readonly ignored: readonly IgnoredMetadata[] } {
  const written = JSON.stringify(metadata ?? {});
  const found = hasuraSettings(environment, SETTING_NAMES, (variable) => written.includes(variable));
  const { withoutEffect } = found;
  const what = `settings of Hasura without effect: ${withoutEffect.join(', ')}`;
  return {
    warnings: describeSettings(found).map((message) => ({ file: SETTINGS_ORIGIN, message })),
    ignored: withoutEffect.length > 0 ? [{ file: SETTINGS_ORIGIN, what }] : [],
  };
}
