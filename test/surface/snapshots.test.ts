import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate, staleFiles } from '../../src/devtools/generate.ts';

const root = join(import.meta.dirname, '..', '..');

/** Other people's scripts rely on these. When a change is intended, run `npm run generate` and review the diff. */
describe('surface', () => {
  const { files } = generate(root);

  test.each(['openapi.json', 'errors.md', 'schema.sql', 'commands.json'])(
    'surface: %s is what the sources say',
    (name) => {
      const file = files.find(({ path }) => path === `test/snapshots/${name}`);

      expect(file, 'npm run build makes the manifest').toBeDefined();
      expect(staleFiles(root, file ? [file] : [])).toEqual([]);
    },
  );
});
