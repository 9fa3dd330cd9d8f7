import { expect, test } from '@jest/globals';
import { SEMI_SPACE_MIB, withYoungGeneration } from '../../platform/index.ts';

const OURS = `--max-semi-space-size=${SEMI_SPACE_MIB}`;

test.each([
  ['nothing is set', undefined, OURS],
  ['other options are set, which stay', '--max-old-space-size=900', `${OURS} --max-old-space-size=900`],
  ['another size is set, which stays', '--max-semi-space-size=8', '--max-semi-space-size=8'],
  [
    'it is set with underscores',
    '--trace-warnings --max_semi_space_size=8',
    '--trace-warnings --max_semi_space_size=8',
  ],
  ['it was set before', OURS, OURS],
])('a gateway is started with a young generation where %s', (_, given, expected) => {
  const environment = { PATH: '/bin', ...(given !== undefined && { NODE_OPTIONS: given }) };
  expect(withYoungGeneration(environment)).toEqual({ PATH: '/bin', NODE_OPTIONS: expected });
});
