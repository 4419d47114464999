import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { STARTER_CONFIG } from '../../../src/cli/commands/init.ts';
import { checkProject, instanceOfDirectory, readProject } from '../../../src/cli/project/project.ts';
import { findProjectFile } from '../../../src/cli/project/find.ts';
import { preferredOptions } from '../../../src/cli/instance/start-options.ts';
import { tempDir } from '../../support/temp-dir.ts';

const CANARY = 'canary-219099999';
let folder: ReturnType<typeof tempDir>;
const at = (...names: string[]) => join(folder.path, ...names);

beforeEach(() => {
  folder = tempDir();
  mkdirSync(at('repo', 'packages', 'app'), { recursive: true });
});
afterEach(() => folder[Symbol.dispose]());

describe('findProjectFile', () => {
  test('findProjectFile: up to the folder with .git, the nearest first', () => {
    mkdirSync(at('repo', '.git'));
    writeFileSync(at('repo', 'kyclone.config.yaml'), '');
    expect(findProjectFile(at('repo', 'packages', 'app'))?.directory).toBe(at('repo'));
    writeFileSync(at('repo', 'packages', 'kyclone.config.json'), '{}');
    expect(findProjectFile(at('repo', 'packages', 'app'))?.directory).toBe(at('repo', 'packages'));
  });

  test('findProjectFile: not above the folder with .git, nor above at all without one', () => {
    writeFileSync(at('kyclone.config.yaml'), '');
    writeFileSync(at('repo', 'packages', 'kyclone.config.yml'), '');
    expect(findProjectFile(at('repo', 'packages', 'app'))).toBeUndefined();
    expect(findProjectFile(at('repo', 'packages'))?.file).toBe(at('repo', 'packages', 'kyclone.config.yml'));
    writeFileSync(at('repo', '.git'), 'gitdir: elsewhere');
    expect(findProjectFile(at('repo'))).toBeUndefined();
  });

  test('findProjectFile: two side by side are refused', () => {
    writeFileSync(at('kyclone.config.yaml'), '');
    writeFileSync(at('kyclone.config.json'), '{}');
    expect(() => findProjectFile(folder.path)).toThrow('are both in');
  });
});

describe('readProject', () => {
  const read = async (name: string, text: string | Buffer) => {
    writeFileSync(at(name), text);
    return await readProject({ directory: folder.path, file: at(name) });
  };

  test.each([
    [
      'kyclone.config.yaml',
      'instance: shop\nport: 0\nseed: 7\nfixtures: [a.yaml, ../b.yaml]\nset: {AGE: 30, OK: true}\nsettings:\n  egress.policy: strict\n  hosts: [a, b]\n',
    ],
    [
      'kyclone.config.json',
      '{"instance":"shop","port":0,"seed":7,"fixtures":["a.yaml","../b.yaml"],"set":{"AGE":30,"OK":true},"settings":{"egress.policy":"strict","hosts":["a","b"]}}',
    ],
  ])('readProject: %s, with a byte order mark or without', async (name, text) => {
    expect(await read(name, `\ufeff${text}`)).toEqual(await read(name, text));
    expect(await read(name, text)).toMatchObject({
      instance: 'shop',
      port: 0,
      seed: '7',
      fixtures: [at('a.yaml'), join(folder.path, '..', 'b.yaml')],
      set: { AGE: '30', OK: 'true' },
      settings: { 'egress.policy': 'strict', hosts: '["a","b"]' },
    });
  });

  test('readProject: the starter is one, and an empty file is one', async () => {
    expect(await read('kyclone.config.yaml', STARTER_CONFIG)).toMatchObject({ seed: '7', ephemeral: true });
    expect((await read('kyclone.config.yaml', '# nothing yet\n')).instance).toBe(
      instanceOfDirectory(folder.path),
    );
  });

  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghijk'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghij'[index] ?? ''},`.repeat(9)}]`),
  ].join('\n');
  test.each([
    ['a member twice', 'json', `{"seed":"${CANARY}","set":{},"seed":"y"}`, 'has a member twice'],
    ['a member twice inside', 'json', '{"set":{"A":[{"x":1}],"\\u0041":2}}', 'has a member twice'],
    ['what is no JSON', 'json', `{"seed": ${CANARY}}`, 'is not JSON'],
    ['a list', 'json', '[]', 'must contain an object'],
    ['a member twice', 'yaml', `seed: ${CANARY}\nseed: y`, 'has a member twice, line 2'],
    ['what is no YAML', 'yaml', `seed: "${CANARY}`, 'is not plain YAML, line'],
    ['a tag', 'yaml', `seed: !secret ${CANARY}`, 'is not plain YAML, line 1'],
    ['two documents', 'yaml', `seed: ${CANARY}\n---\nseed: b`, 'is not plain YAML'],
    ['aliases that unfold', 'yaml', bomb, 'nests or repeats itself'],
    ['brackets without end', 'yaml', '['.repeat(100_000), 'YAML'],
    ['a scalar', 'yaml', CANARY, 'must contain an object'],
    ['more than 1 MiB', 'yaml', '#'.repeat(1024 * 1024 + 1), 'larger than 1 MiB'],
    ['bytes that are not text', 'yaml', Buffer.from([0xff, 0xfe, 0]), 'is not UTF-8'],
  ])('readProject: refuses %s (%s)', async (_what, extension, text, message) => {
    const refused = await read(`kyclone.config.${extension}`, text).catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ exitCode: 2, message: expect.stringContaining(message) as string });
    expect((refused as Error).message).not.toContain(CANARY);
  });

  test('readProject: a folder of that name is refused', async () => {
    mkdirSync(at('kyclone.config.yaml'));
    await expect(readProject({ directory: folder.path, file: at('kyclone.config.yaml') })).rejects.toThrow(
      'is not a file',
    );
  });
});

describe('checkProject', () => {
  const found = { directory: '/p', file: '/p/kyclone.config.yaml' };

  test.each([
    [{ prot: 1 }, 'prot is not known; did you mean port?'],
    [{ somethingelse: CANARY }, 'somethingelse is not one of'],
    [{ instance: 'A B' }, 'instance is 1 to 64'],
    [{ port: '4700' }, 'port is a whole number'],
    [{ port: 65_536 }, 'port is a whole number'],
    [{ seed: '' }, 'seed is a text'],
    [{ seed: null }, 'seed is a text'],
    [{ clock: CANARY }, 'clock is an ISO 8601 time'],
    [{ clock: '2026-02-30T00:00:00Z' }, 'clock is an ISO 8601 time on a day that exists'],
    [{ ephemeral: 'yes' }, 'ephemeral is true or false'],
    [{ fixtures: 'a.yaml' }, 'fixtures is a list'],
    [{ fixtures: ['a', ''] }, 'fixtures[1] is a path'],
    [{ set: { 'A B': CANARY } }, 'set names its variables'],
    [{ set: { A: [CANARY] } }, 'set.A is a text'],
    [{ settings: [] }, 'settings is an object'],
    [
      { settings: { 'egress.polcy': CANARY } },
      'settings.egress.polcy is not known; did you mean settings.egress.policy?',
    ],
    [{ settings: { seed: 'x' } }, 'settings.seed is'],
    [{ settings: { 'egress.policy': { a: CANARY } } }, 'settings.egress.policy is a text'],
  ])('checkProject: %j is reported by member, without values', (value, message) => {
    const refusal = () => checkProject(value, found);
    expect(refusal).toThrow(`/p/kyclone.config.yaml: ${message}`);
    expect(refusal).not.toThrow(CANARY);
  });
});

describe('instanceOfDirectory', () => {
  test('instanceOfDirectory: one folder has one, by whatever way; another of that name another', () => {
    mkdirSync(at('one', 'My Shöp!'), { recursive: true });
    mkdirSync(at('two', 'My Shöp!'), { recursive: true });
    symlinkSync(at('one'), at('link'));
    const one = instanceOfDirectory(at('one', 'My Shöp!'));
    expect(one).toMatch(/^my-sh-p-[0-9a-f]{8}$/);
    expect(instanceOfDirectory(at('link', 'My Shöp!'))).toBe(one);
    expect(instanceOfDirectory(at('two', 'My Shöp!'))).not.toBe(one);
  });

  test.each(['日本', '...', '-x', 'a'.repeat(200)])('instanceOfDirectory: %s makes a name', (name) => {
    mkdirSync(at(name === '...' ? '....' : name));
    expect(instanceOfDirectory(at(name === '...' ? '....' : name))).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/);
  });
});

describe('preferredOptions', () => {
  const project = {
    fixtures: [],
    set: {},
    port: 4700,
    seed: 's',
    clock: '2026-01-31T12:00:00Z',
    ephemeral: true,
    settings: { hosts: '["a"]' },
  };

  test('preferredOptions: the project comes after what is kept, and wins', () => {
    expect(preferredOptions({ seed: 'kept' }, project, true)).toEqual([
      '--seed',
      'kept',
      '--set',
      'hosts=["a"]',
      '--seed',
      's',
      '--clock',
      '2026-01-31T12:00:00Z',
      '--ephemeral',
      '--port',
      '4700',
    ]);
  });

  test('preferredOptions: any other instance of the project gets a free port', () => {
    expect(preferredOptions({}, project, false).slice(-2)).toEqual(['--port', '0']);
    expect(preferredOptions({}, undefined, false)).toEqual([]);
  });
});
