/**
 * What a bundle has in place of a source file that works something out when it runs: the schema after all migrations,
 * so that a start runs none of them, and the styles and scripts of the pages, which are files of their own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { currentSchema } from '../storage/current-schema.ts';

export function buildConstants(): Plugin {
  const contents: Readonly<Record<string, string>> = {
    'storage/current-schema.ts': `const schema = ${JSON.stringify(currentSchema())};\nexport const currentSchema = () => schema;`,
    'pages/page-file.ts': `const files = ${JSON.stringify(pageFiles())};\nexport const pageFile = (name) => files[name];`,
  };
  return {
    name: 'constants',
    setup(build) {
      for (const [file, text] of Object.entries(contents)) {
        const filter = new RegExp(`[\\\\/]src[\\\\/]${file.replace('/', '[\\\\/]')}$`);
        build.onLoad({ filter }, () => ({ contents: text }));
      }
    },
  };
}

function pageFiles(): Record<string, string> {
  const folder = join(import.meta.dirname, '..', 'pages');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:css|js)$/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
