import { describe, expect, test } from 'vitest';
import { checkImports, importedPackages, readTree } from '../../src/devtools/check-imports.ts';
import { LAYERS } from '../../src/devtools/import-rules.ts';
import { aTree } from './source-tree.ts';

/** Returns the violations in a tree as `file:line rule`. */
function breaches(files: Readonly<Record<string, string>>): string[] {
  return checkImports(aTree(files)).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

const TRANSFORMS = '../../vault/transforms/index.ts';
const CHAIN = '../../vault/transforms/chain.ts';
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
      importing('../shapes.ts') + importing('@sinclair/typebox') + importing('../../kernel/numbers/units.ts');
    expect(breaches({ 'contract/facts/a.ts': text })).toEqual([
      'contract/facts/a.ts:1 layer',
      'contract/facts/a.ts:2 package',
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
    const text = `// import '../vault/b.ts'\nconst a = "import '../vault/b.ts'";`;
    expect(breaches({ 'cli/a.ts': text })).toEqual([]);
  });

  test.each([
    ['the transform command may import the transforms', 'cli/commands/transform.ts', TRANSFORMS, undefined],
    ['the transform command may do so by their index alone', 'cli/commands/transform.ts', CHAIN, 'layer'],
    ['no other command may', 'nouns/entities/commands/users.ts', TRANSFORMS, 'layer'],
    ['testing may import the start of the daemon', 'testing/start/a.ts', '../../daemon/start.ts', undefined],
    ['testing may import nothing else of the daemon', 'testing/a.ts', '../daemon/lock.ts', 'layer'],
    ['the command line may not import the start', 'cli/a.ts', '../daemon/start.ts', 'layer'],
    ['a folder that the design has not is refused', 'helpers/a.ts', '../kernel/b.ts', 'layer'],
    ['package.json may be imported', 'kernel/a.ts', '../../package.json', undefined],
    ['nothing else outside of src may be', 'kernel/a.ts', '../../test/b.ts', 'outside'],
    [
      'the kernel may not import facts of the contract',
      'kernel/noun/a.ts',
      '../../contract/facts/b.ts',
      'layer',
    ],
    ['the kernel may import from node', 'kernel/a.ts', 'node:path', undefined],
    ['the kernel may import no package', 'kernel/a.ts', 'any-ascii', 'package'],
  ])('check-imports: %s', (_, file, specifier, rule) => {
    const expected = rule === undefined ? [] : [`${file}:1 ${rule}`];
    expect(breaches({ [file]: importing(specifier) })).toEqual(expected);
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
    expect(breaches({ 'kernel/time/real-time.ts': 'export const a = performance.now();' })).toEqual([]);
    expect(breaches({ 'kernel/ids/ids.ts': 'export const a = Date.now();' })).toEqual([
      'kernel/ids/ids.ts:1 use',
    ]);
    expect(breaches({ 'devtools/a.ts': 'console.log(process.env);' })).toEqual([]);
  });

  test('check-imports: an exception that its file no longer needs is an error', () => {
    expect(breaches({ 'kernel/time/real-time.ts': 'export const a = 1;' })).toEqual([
      'kernel/time/real-time.ts:1 exception',
    ]);
  });
});
