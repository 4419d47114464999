import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { commandSurface } from '../../src/devtools/command-surface.ts';
import { generate, staleFiles } from '../../src/devtools/generate.ts';
import { errorsMarkdown, missingPackages, withBlocks } from '../../src/devtools/documents.ts';
import { aTree } from './source-tree.ts';

const REFERENCE = 'docs/reference.md';
const MARKED = `# Reference
<!-- generated:endpoints -->
stale words
<!-- /generated -->
between
<!-- generated:errors -->
<!-- /generated -->
after
`;

describe('withBlocks', () => {
  test('withBlocks: fills the blocks and keeps what people wrote', () => {
    const { content = '', problems } = withBlocks(REFERENCE, MARKED);

    expect(problems).toEqual([]);
    expect(content).toMatch(/^# Reference\n<!-- generated:endpoints -->\n/);
    expect(content).toMatch(/\nbetween\n[\s\S]*\nafter\n$/);
    expect(content).not.toContain('stale words');
    for (const { key } of endpoints) expect(content).toContain(`| \`${key}\` |`);
    expect(content).toContain('| `T120` | 400 | validation |');
    expect(withBlocks(REFERENCE, content).content).toBe(content);
  });

  test('withBlocks: a missing block and one that nothing generates are problems', () => {
    expect(withBlocks(REFERENCE, '# Reference\n').problems).toHaveLength(2);
    const { content, problems } = withBlocks(
      REFERENCE,
      `${MARKED}<!-- generated:constructor -->\nkept\n<!-- /generated -->`,
    );
    expect(problems).toEqual(['docs/reference.md: nothing generates the block constructor']);
    expect(content).toBeUndefined();
  });
});

describe('missingPackages', () => {
  test('missingPackages: a package counts in a table row, in backticks', () => {
    const readme =
      '| SQLite | `some-package` 12 | why |\nWe also use `got` and | ink |\n| HTTP | fastify |\n';

    expect(missingPackages(readme, ['some-package', 'got', 'ink', 'fastify'])).toEqual([
      'got',
      'ink',
      'fastify',
    ]);
  });
});

describe('errorsMarkdown', () => {
  test('errorsMarkdown: a bar in a text does not end its cell', () => {
    const table = errorsMarkdown({ code: { status: 400, category: 'input', meaning: 'a | b', hint: 'c' } });

    expect(table.split('\n')).toEqual([
      '| Code | Status | Category | Meaning | Hint |',
      '| --- | --- | --- | --- | --- |',
      '| `code` | 400 | input | a \\| b | c |',
    ]);
  });
});

describe('commandSurface', () => {
  test('commandSurface: commands, arguments and flags in order, texts left out', () => {
    const surface = commandSurface({
      commands: {
        'vault:set': {
          id: 'vault:set',
          strict: false,
          args: { id: { required: true }, kind: { options: ['a', 'b'] } },
          flags: {
            yes: { type: 'boolean', char: 'y', allowNo: true },
            data: { type: 'option', required: true, multiple: true, options: ['x', 'z'] },
          },
        },
        start: { id: 'start', aliases: ['up'], hidden: true },
      },
    });

    expect(JSON.stringify(surface)).toBe(
      JSON.stringify({
        start: { hidden: true, aliases: ['up'], arguments: [], flags: {} },
        'vault set': {
          arguments: ['id', '[kind]=a|b'],
          takesMoreArguments: true,
          flags: { '--data': 'x|z required multiple', '--yes': 'boolean -y --no-' },
        },
      }),
    );
  });
});

describe('generate', () => {
  const PACKAGE =
    '{"peerDependencies":{"some-package":"1"},"optionalDependencies":{"@napi-rs/keyring":"2"},"oclif":{"topics":{}}}';
  const MANIFEST = '{"commands":{"start":{"id":"start","examples":["a","b"]}}}';
  const SOURCE = `import got from 'got';`;

  test('generate: reports the packages that no table names', () => {
    const root = aTree({
      'docs/dependencies.md': '| x | `got` |\n',
      'package.json': PACKAGE,
      'oclif.manifest.json': MANIFEST,
      'src/client/a.ts': SOURCE,
    });

    expect(generate(root).problems).toEqual([
      'docs/dependencies.md: no row of a table names the package `@napi-rs/keyring`',
      'docs/dependencies.md: no row of a table names the package `some-package`',
    ]);
  });

  test('generate: without documents and manifest the rest is generated, and the missing build is a problem', () => {
    const { files, problems } = generate(aTree({ 'package.json': PACKAGE }));

    expect(files.map(({ path }) => path)).toEqual([
      'test/snapshots/openapi.json',
      'test/snapshots/errors.md',
      'test/snapshots/schema.sql',
    ]);
    expect(problems).toEqual(['oclif.manifest.json is missing: npm run build makes it']);
  });

  test('staleFiles: a file that is missing or differs', () => {
    const root = aTree({ 'same.md': 'a', 'other.md': 'a' });
    const files = [
      { path: 'same.md', content: 'a' },
      { path: 'other.md', content: 'b' },
      { path: join('no', 'such.md'), content: '' },
    ];

    expect(staleFiles(root, files)).toEqual(['other.md', join('no', 'such.md')]);
  });
});
