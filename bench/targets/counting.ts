import { startPortico } from './portico.ts';
import { plainMetadata } from './portico-metadata.ts';
import { type Target, whenReady } from './target.ts';

/** Portico counting the usage of a named client. It is measured in comparison to `portico`, and only if it is named. */
export const countingTarget: Target = {
  name: 'portico-usage',
  family: 'usage',
  title: 'Portico, counting usage',
  kind: 'portico',
  rows: ['U', 'H', 'L', 'W', 'S', 'M', 'A', 'R'],
  start: async (dependencies) => {
    const began = performance.now();
    const { member, address } = await startPortico(dependencies, plainMetadata(dependencies.subgraphs.url), {
      environment: { PORTICO_USAGE_DIR: dependencies.group.directory('usage'), PORTICO_USAGE_INTERVAL_SECONDS: '1' },
    });
    const headers = {
      ...address.headers,
      'apollographql-client-name': 'bench',
      'apollographql-client-version': '1.0',
    };
    return whenReady(countingTarget, 'small', member, { ...address, headers }, began);
  },
};
