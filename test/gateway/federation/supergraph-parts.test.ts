import { expect, test } from '@jest/globals';
import { SupergraphParts } from '../../../gateway/federation/plan/supergraph-parts.ts';

test('a large root type is parsed once', () => {
  const fields = Array.from({ length: 5_000 }, (_, i) => `  field${i}(argument: String): String`);
  const sdl = `type Query {\n${fields.join('\n')}\n}`;
  const parts = new SupergraphParts([sdl]);

  expect(sdl.length).toBeGreaterThan(150_000);
  const first = parts.type('Query');
  expect(first).toBeDefined();
  expect(parts.type('Query') === first).toBe(true);
});
