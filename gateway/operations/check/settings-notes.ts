import { SETTING_NAMES } from '../../config.ts';
import { describeSettings, hasuraSettings } from '../../hasura-settings.ts';
import type { IgnoredMetadata, MetadataProblem } from '../../metadata/index.ts';

const SETTINGS_ORIGIN = 'environment';

/**
 * Notes on settings of Hasura that have no effect here, or another one.
 *
 * @param metadata as it is written: what it refers to is a variable of its own.
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
