/** `kyclone faults`, with the real binary and the real daemon. */
import { afterEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const daemon = useDaemon();
const { run: faults } = cliIn(() => daemon().home, 'faults');

afterEach(async () => {
  await faults('clear');
});

describe('faults', () => {
  test.each([
    ['/users', true],
    ['/**/vault', true],
    ['/users --method HEAD', true],
    ['/user', false],
    ['/_kyclone/**', false],
    ['/users --method PUT', false],
  ])('faults create: --path %s matches an endpoint, %s; a warning where not', async (path, isKnown) => {
    const { code, stderr } = await faults(`create --status 503 --path ${path}`);
    expect(code).toBe(0);
    if (isKnown) expect(stderr).toBe('');
    else expect(stderr).toContain('Warning: no endpoint');
  });

  test('faults delete: the rules that are named, or all', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push(String(jsonOf(await faults('add --preset down --json'))['id']));
    expect(await faults(['clear', ids[0] ?? ''])).toEqual({
      code: 0,
      stdout: 'The fault rule is deleted\n',
      stderr: '',
    });
    expect((await faults(['clear', ids[0] ?? ''])).code).toBe(6);
    expect(jsonOf(await faults('list --json'))['meta']).toEqual({ count: 2, next: null });
    expect(await faults('clear')).toEqual({ code: 0, stdout: 'All fault rules are deleted\n', stderr: '' });
    expect((await faults('list')).stdout).toBe('No fault rules\n');
  });
});
