import { describe, expect, test } from 'vitest';
import { checkImports, importedPackages, readTree } from '../../src/devtools/check-imports.ts';
import { LAYERS } from '../../src/devtools/import-rules.ts';
import { aTree } from './source-tree.ts';

/** Returns the violations in a tree as `file:line rule`. */
function breaches(files: Readonly<Record<string, string>>): string[] {
  return checkImports(aTree(files)).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

const importing = (specifier: string): string => `import { a } from '${specifier}';\n`;

describe('facts of the contract', () => {
  test.each(['storage', 'vault', 'outbound', 'cli', 'client', 'tui', 'form', 'contract'])(
    'check-imports: %s may import them, but no schema by that',
    (from) => {
      expect(breaches({ [`${from}/noun/a.ts`]: importing('../../contract/facts/b.ts') })).toEqual([]);
    },
  );

  test('check-imports: they import neither schemas nor a package', () => {
    const text =
      importing('../shapes.ts') + importing('@sinclair/typebox') + importing('../../kernel/units.ts');
    expect(breaches({ 'contract/facts/a.ts': text })).toEqual([
      'contract/facts/a.ts:1 layer',
      'contract/facts/a.ts:2 package',
    ]);
  });

  test('check-imports: the kernel may not import them', () => {
    expect(breaches({ 'kernel/noun/a.ts': importing('../../contract/facts/b.ts') })).toEqual([
      'kernel/noun/a.ts:1 layer',
    ]);
  });
});

describe('layers', () => {
  /** What each folder must never import, by the arrows in docs/architecture.md#the-layers. */
  test.each([
    ['kernel', 'contract'],
    ['kernel', 'storage'],
    ['contract', 'client'],
    ['contract', 'services'],
    ['storage', 'vault'],
    ['storage', 'contract'],
    ['vault', 'services'],
    ['vault', 'contract'],
    ['outbound', 'services'],
    ['outbound', 'contract'],
    ['services', 'http'],
    ['services', 'client'],
    ['http', 'daemon'],
    ['http', 'client'],
    ['daemon', 'client'],
    ['daemon', 'cli'],
    ...['client', 'cli', 'tui', 'testing'].flatMap((from) =>
      ['services', 'vault', 'storage', 'http', 'daemon'].map((to) => [from, to] as [string, string]),
    ),
    ['client', 'cli'],
    ['cli', 'tui'],
    ['fixtures', 'vault'],
    ['http', 'devtools'],
  ])('check-imports: %s may not import %s', (from, to) => {
    expect(breaches({ [`${from}/noun/a.ts`]: `\n${importing(`../../${to}/b.ts`)}` })).toEqual([
      `${from}/noun/a.ts:2 layer`,
    ]);
  });

  test('check-imports: no layer reaches itself through others', () => {
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      (LAYERS[from] ?? []).some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      );

    for (const layer of Object.keys(LAYERS)) expect(reaches(layer, layer), layer).toBe(false);
  });

  test('check-imports: types, re-exports, dynamic imports and import types count like any import', () => {
    const vault = '../vault/b.ts';
    expect(
      breaches({
        'cli/a.ts': [
          `import type { A } from '${vault}';`,
          `export { a } from '${vault}';`,
          `export * from '${vault}';`,
          `const b = await import('${vault}');`,
          `type C = import('${vault}').C;`,
          `import '${vault}';`,
        ].join('\n'),
      }),
    ).toEqual([1, 2, 3, 4, 5, 6].map((line) => `cli/a.ts:${line} layer`));
  });

  test('check-imports: comments and strings are no imports', () => {
    expect(
      breaches({ 'cli/a.ts': `// import '../vault/b.ts'\nconst a = "import '../vault/b.ts'";` }),
    ).toEqual([]);
  });

  test('check-imports: the transform command alone may import the transforms, by their index', () => {
    const transforms = '../../vault/transforms/index.ts';

    expect(breaches({ 'cli/commands/transform.ts': importing(transforms) })).toEqual([]);
    expect(breaches({ 'nouns/entities/commands/users.ts': importing(transforms) })).toEqual([
      'nouns/entities/commands/users.ts:1 layer',
    ]);
    expect(
      breaches({ 'cli/commands/transform.ts': importing('../../vault/transforms/chain.ts') }),
    ).toHaveLength(1);
  });

  test('check-imports: testing may import the start of the daemon, and nothing else of it', () => {
    expect(breaches({ 'testing/start/a.ts': importing('../../daemon/start.ts') })).toEqual([]);
    expect(breaches({ 'testing/a.ts': importing('../daemon/lock.ts') })).toEqual(['testing/a.ts:1 layer']);
    expect(breaches({ 'cli/a.ts': importing('../daemon/start.ts') })).toEqual(['cli/a.ts:1 layer']);
  });

  test('check-imports: a folder that the design has not is refused', () => {
    expect(breaches({ 'helpers/a.ts': importing('../kernel/b.ts') })).toEqual(['helpers/a.ts:1 layer']);
  });

  test('check-imports: nothing outside of src but package.json', () => {
    expect(breaches({ 'kernel/a.ts': importing('../../package.json') })).toEqual([]);
    expect(breaches({ 'kernel/a.ts': importing('../../test/b.ts') })).toEqual(['kernel/a.ts:1 outside']);
  });
});

describe('nouns', () => {
  const between = (from: string, to: string): string[] =>
    breaches({ [`nouns/${from}/service/a.ts`]: importing(`../../${to}`) });

  test('check-imports: a service uses one further left through its index', () => {
    expect(between('vault', 'entities/service/index.ts')).toEqual([]);
    expect(between('onboardings', 'webhooks/service.ts')).toEqual([]);
    expect(between('vault', 'vault/service/rules.ts')).toEqual([]);
  });

  test.each([
    ['past the index', 'vault', 'entities/service/repository.ts'],
    ['rightwards', 'entities', 'vault/service/index.ts'],
    ['rightwards', 'webhooks', 'onboardings/service/index.ts'],
    ['of no known noun', 'vault', 'things/service.ts'],
  ])('check-imports: a service may not import %s (%s from %s)', (_, from, to) => {
    expect(between(from, to)).toEqual([`nouns/${from}/service/a.ts:1 noun`]);
  });

  test.each([
    ['facts.ts', 'endpoints.ts'],
    ['endpoints/index.ts', 'service/rows.ts'],
    ['service.ts', 'commands.ts'],
    ['commands/list.ts', 'service.ts'],
    ['screen.ts', 'commands/view.ts'],
  ])('check-imports: in a noun, %s may not import %s', (from, to) => {
    const file = `nouns/notes/${from}`;
    const target = `${from.includes('/') ? '../' : './'}${to}`;

    expect(breaches({ [file]: importing(target) })).toEqual([`${file}:1 layer`]);
  });

  test('check-imports: a file of a noun is named for its layer', () => {
    const source = importing('../../kernel/a.ts');

    expect(breaches({ 'nouns/notes/service/a.ts': '', 'nouns/notes/helpers.ts': source })).toEqual([
      'nouns/notes/helpers.ts:1 layer',
    ]);
  });

  test('check-imports: a file of no noun is for all nouns and knows the base nouns only', () => {
    expect(between('labels', 'handlers.ts')).toEqual([]);
    expect(breaches({ 'nouns/handlers.ts': importing('./entities/service.ts') })).toEqual([]);
    expect(breaches({ 'nouns/handlers.ts': importing('./labels/service.ts') })).toEqual([
      'nouns/handlers.ts:1 noun',
    ]);
  });
});

describe('packages', () => {
  test.each([
    ['@photostructure/sqlite', 'storage', 'services'],
    ['tweetnacl', 'vault', 'storage'],
    ['ipaddr.js', 'outbound', 'services'],
    ['@peculiar/x509', 'cli', 'outbound'],
    ['@fastify/busboy', 'http', 'services'],
    ['@oclif/core', 'cli', 'client'],
    ['@oclif/core/lib/errors', 'cli', 'tui'],
    ['ink', 'tui', 'cli'],
  ])('check-imports: %s in %s, not in %s', (name, room, elsewhere) => {
    expect(breaches({ [`${room}/a.ts`]: importing(name) })).toEqual([]);
    expect(breaches({ [`${elsewhere}/a.ts`]: importing(name) })).toEqual([`${elsewhere}/a.ts:1 package`]);
  });

  test('check-imports: the kernel has no dependencies but node', () => {
    expect(breaches({ 'kernel/a.ts': importing('any-ascii') })).toEqual(['kernel/a.ts:1 package']);
    expect(breaches({ 'kernel/a.ts': importing('node:path') })).toEqual([]);
  });

  test('importedPackages: names of what the shipped code imports, without node, files and devtools', () => {
    const tree = aTree({
      'cli/a.ts': `import a from 'got/x';import b from '@oclif/core/y';import c from 'fs';import d from './b.ts';`,
      'devtools/a.ts': importing('typescript'),
    });

    expect(importedPackages(readTree(tree))).toEqual(['@oclif/core', 'got']);
  });
});

describe('ciphers', () => {
  test.each([
    `import { createCipheriv } from 'node:crypto';`,
    `import { createDecipheriv as open } from 'crypto';`,
    `import { publicEncrypt, createHash } from 'node:crypto';`,
    `import { createECDH } from 'node:crypto';`,
    `import { diffieHellman } from 'node:crypto';`,
    `import { scrypt } from 'node:crypto';`,
    `import { webcrypto } from 'node:crypto';`,
    `import * as crypto from 'node:crypto';`,
    `import crypto from 'node:crypto';`,
    `const { hkdfSync } = await import('node:crypto');`,
    `const crypto = await import('node:crypto');`,
  ])('check-imports: only the vault may %s', (source) => {
    expect(breaches({ 'storage/a.ts': source })).toEqual(['storage/a.ts:1 cipher']);
    expect(breaches({ 'vault/a.ts': source })).toEqual([]);
  });

  test('check-imports: hashes, digests and random bytes are for everyone', () => {
    const source = `import { createHash, createHmac, timingSafeEqual, randomFillSync } from 'node:crypto';
const { randomBytes } = await import('node:crypto');`;

    expect(breaches({ 'http/a.ts': source })).toEqual([]);
  });
});

describe('calls to somewhere', () => {
  test.each([
    `import { request } from 'node:http';`,
    `import { get as fetched } from 'https';`,
    `import { connect } from 'node:net';`,
    `import { createServer, createConnection } from 'node:net';`,
    `import * as tls from 'node:tls';`,
    `const { connect } = await import('node:http2');`,
  ])('check-imports: only outbound and the client may %s', (source) => {
    expect(breaches({ 'nouns/notes/service.ts': source })).toEqual(['nouns/notes/service.ts:1 calling']);
    expect(breaches({ 'outbound/a.ts': source })).toEqual([]);
    expect(breaches({ 'client/a.ts': source })).toEqual([]);
  });

  test('check-imports: servers and types of the network are for everyone', () => {
    const source = `import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';`;

    expect(breaches({ 'daemon/a.ts': source })).toEqual([]);
  });
});

describe('uses', () => {
  test.each([
    ['process.env', 'const a = process.env.HOME;'],
    ['process.env', `const a = process['env'];`],
    ['process.env', 'const { env } = process;'],
    ['process.env', 'const a = globalThis.process.env;'],
    ['process.env', `import { env } from 'node:process';`],
    ['process.exit', 'process.exit(1);'],
    ['Date.now', 'const a = Date.now();'],
    ['Date.now', 'const clock = { now: Date.now };'],
    ['new Date()', 'const a = new Date();'],
    ['new Date()', 'const a = new Date;'],
    ['new Date()', 'const a = Date();'],
    ['performance.now', 'const a = performance.now();'],
    ['process.hrtime', 'const a = process.hrtime.bigint();'],
    ['Math.random', 'const a = Math.random();'],
    ['console', `console.log('a');`],
    ['console', 'const out = console;'],
    ['console', 'globalThis.console.log(1);'],
    ['crypto.subtle', 'const a = crypto.subtle;'],
    ['prepare()', `database.prepare('SELECT 1');`],
    ['prepare()', 'const run = database.prepare(sql);'],
    ['cast of a row', 'const row = statement(sql).get(database, id) as Row;'],
    ['cast of a row', 'const rows = (tupleStatement<[], [number]>(sql).all(database)) as Row[];'],
    ['cast of a row', 'const count = COUNT.one(database) as unknown as number;'],
  ])('check-imports: %s is refused: %s', (use, source) => {
    const problems = checkImports(aTree({ 'http/a.ts': `\n${source}` }));

    expect(problems.map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual(['http/a.ts:2 use']);
    expect(problems[0]?.message).toContain(use);
  });

  test.each([
    'const a = new Date(0);',
    'const a = Date.parse("2026-01-31");',
    'process.exitCode = 1;',
    'const a = process.pid;',
    'const a = { console: 1 }.console;',
    'const a = clock.now();',
    'const a = Math.floor(1.5);',
    '// process.env and console.log and new Date()',
    'const call = await agent.prepare({ signal });',
    'const stored = found.get(token) as Stored;',
    'const row = statement<[number], Row>(sql).get(database, id);',
  ])('check-imports: is not refused: %s', (source) => {
    expect(breaches({ 'http/a.ts': source })).toEqual([]);
  });

  test('check-imports: the table names the file that may, and no other', () => {
    expect(breaches({ 'kernel/real-time.ts': 'export const a = performance.now();' })).toEqual([]);
    expect(breaches({ 'kernel/ids.ts': 'export const a = Date.now();' })).toEqual(['kernel/ids.ts:1 use']);
    expect(breaches({ 'devtools/a.ts': 'console.log(process.env);' })).toEqual([]);
  });

  test('check-imports: an exception that its file no longer needs is an error', () => {
    expect(breaches({ 'kernel/real-time.ts': 'export const a = 1;' })).toEqual([
      'kernel/real-time.ts:1 exception',
    ]);
  });
});
