/**
 * What a bundle has in place of `src/storage/current-schema.ts`: the schema after all migrations, so that a start runs
 * none of them.
 */
import type { Plugin } from 'esbuild';
import { currentSchema } from '../storage/current-schema.ts';

export function buildConstants(): Plugin {
  const contents = `const schema = ${JSON.stringify(currentSchema())};\nexport const currentSchema = () => schema;`;
  return {
    name: 'constants',
    setup(build) {
      build.onLoad({ filter: /[\\/]src[\\/]storage[\\/]current-schema\.ts$/ }, () => ({ contents }));
    },
  };
}
