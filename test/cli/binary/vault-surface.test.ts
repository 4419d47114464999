/** Tokens, documents, duplicates, search, labels and tags through the real binary and a real daemon. */
import { describe, expect, test } from 'vitest';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const IMAGE = 'document.passport.front.image';
const NOBODY = 'fp_id_0000000000000000000000';

const daemon = useDaemon({ isDurable: true });
const { run, json } = cliIn(() => daemon().home);

async function create(noun: 'users' | 'businesses', ...fields: string[]): Promise<string> {
  return String((await json([noun, 'create', ...fields]))['id']);
}

describe('tokens', () => {
  test.each([
    ['users', 'id.city'],
    ['businesses', 'business.city'],
  ] as const)('%s token: stdout has the token alone; stderr describes it', async (noun, city) => {
    const id = await create(noun);
    const made = await run([noun, 'token', id, '--scope', 'vault', '--field', city, '--ttl', '5m']);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^cttok_\w{34}\n$/);
    expect(made.stderr).toMatch(new RegExp(`^For ${city}; expires .+Z\\n$`));
    const header = `x-fp-authorization: ${made.stdout.trim()}`;
    const written = await run([
      'api',
      'PATCH',
      '/users/vault',
      '--data',
      `{"${city}":"Boston"}`,
      '-H',
      header,
    ]);
    expect(written).toMatchObject({ code: 0, stdout: '{}\n' });
    expect(await json(['vault', 'get', id, city])).toEqual({ [city]: true });
  });

  test('users token --json: the body of the API', async () => {
    const id = await create('users');
    const made = await json(
      `users token ${id} --scope decrypt --field id.dob --field id.city --reason case-1`,
    );
    expect(made).toEqual({
      token: expect.stringMatching(/^cttok_\w{34}$/) as string,
      expires_at: expect.any(String) as string,
      fields: ['id.dob', 'id.city'],
    });
  });

  test('users token: a card needs no fields', async () => {
    const id = await create('users');
    const { fields } = await json<{ fields: string[] }>(`users token ${id} --scope vault_card`);
    expect(fields).toContainEqual(expect.stringMatching(/^card\.\w{12}\.number$/));
  });

  test('tokens: are listed without themselves, and revoked for good', async () => {
    const id = await create('users', 'id.city=Boston');
    const { token } = await json(`users token ${id} --scope decrypt_download --field id.city --reason r`);
    const listed = await run(['tokens', 'list', id]);
    expect(listed.stdout).toMatch(/^tok_\w{22} {2}decrypt_download {2}.*no +id\.city$/m);
    expect(listed.stdout).not.toContain(String(token));
    const [record] = await json<{ id: string }[]>(['tokens', 'list', id]);
    expect(record).toMatchObject({ scope: 'decrypt_download', fields: ['id.city'], revoked: false });
    expect(await run(['vault', 'download', '--token', '-'], { stdin: `${String(token)}\n` })).toMatchObject({
      code: 0,
      stdout: 'Boston',
    });
    expect((await run(['tokens', 'delete', record?.id ?? ''])).code).toBe(3);
    expect(await json(['tokens', 'delete', record?.id ?? '', '--yes'])).toEqual({});
    expect(await json(['tokens', 'list', id])).toMatchObject([{ revoked: true }]);
    expect((await run(['vault', 'download', '--token', '-'], { stdin: String(token) })).code).toBe(4);
  });

  test('tokens list --live: those of the other world', async () => {
    const { id } = await json(['users', 'create', '--live']);
    await json(['users', 'token', String(id), '--scope', 'vault', '--field', 'id.dob', '--live']);
    expect(await json(['tokens', 'list', String(id), '--live'])).toHaveLength(1);
    expect((await run(['tokens', 'list', String(id)])).code).toBe(6);
  });
});

test('documents: lists uploads and their versions', async () => {
  const [user, business] = [await create('users'), await create('businesses')];
  await json(['vault', 'upload', user, IMAGE, '-', '--content-type', 'image/png'], { stdin: 'a picture' });
  await json(['vault', 'upload', business, 'document.custom.lease', '-'], { stdin: 'a lease' });
  expect(await json(['users', 'documents', user])).toMatchObject([
    { document_type: 'passport', images: { front: { identifier: IMAGE, version: 1 } } },
  ]);
  expect((await run(['users', 'documents', user])).stdout).toContain(`${IMAGE}:1`);
  expect(await json(['businesses', 'documents', business])).toMatchObject([{ document_type: 'custom' }]);
  expect(await json(['users', 'documents', user, '--onboarding', 'ob_0000000000000000000000'])).toEqual([]);
});

describe('duplicates and search', () => {
  test('users duplicates: lists sharing users by kind, up to the limit', async () => {
    const id = await create('users', 'id.email=twin@example.com', 'id.phone_number=+15555550123');
    const twin = await create('users', 'id.email=twin@example.com', 'id.phone_number=+15555550123');
    const both = await json<{ kind: string }[]>(['users', 'duplicates', id]);
    expect(both).toMatchObject([
      { fp_id: twin, kind: 'email', label: null, tags: [] },
      { fp_id: twin, kind: 'phone_number' },
    ]);
    expect(await json(['users', 'duplicates', id, '--kind', 'ssn9', '--kind', 'phone_number'])).toEqual([
      both[1],
    ]);
    expect(await json(['users', 'duplicates', id, '--limit', '1'])).toEqual([both[0]]);
    expect((await run(['users', 'duplicates', id])).stdout).toContain(`${twin}  -            email`);
    expect((await run(['users', 'duplicates', id, '--kind', 'nose'])).code).toBe(7);
  });

  test.each([
    ['an argument', ['found@example.com'], undefined],
    ['stdin', ['-'], 'Found@Example.com\n'],
  ])('users search: a value from %s', async (_, argv, stdin) => {
    const id = await create('users', 'id.email=found@example.com');
    const found = await json<{ data: { id: string }[] }>(
      ['users', 'search', ...argv],
      stdin === undefined ? {} : { stdin },
    );
    expect(found.data[0]?.id).toBe(id);
  });

  test('users search: continues after the page', async () => {
    for (let user = 0; user < 2; user++) await create('users', 'id.email=pages@example.com');
    const search = ['users', 'search', 'pages@example.com', '--page-size', '1'];
    const first = await json<{ data: unknown[]; meta: { count: number; next: string } }>(search);
    expect(first.meta.count).toBe(2);
    const second = await json<typeof first>([...search, '--cursor', first.meta.next]);
    expect(second.data).toHaveLength(1);
    expect(second.data).not.toEqual(first.data);
  });
});

describe.each(['users', 'businesses'] as const)('labels and tags of %s', (noun) => {
  test('label: is shown, set and removed', async () => {
    const id = await create(noun);
    expect(await json([noun, 'label', id])).toEqual({ kind: null });
    expect(await json([noun, 'label', id, 'offboard_fraud'])).toEqual({});
    expect(await json([noun, 'label', id])).toMatchObject({ kind: 'offboard_fraud' });
    expect((await run([noun, 'label', id])).stdout).toContain('offboard_fraud');
    await json([noun, 'label', id, 'none']);
    expect((await run([noun, 'label', id])).stdout).toBe('No label\n');
  });

  test('tag: added, removed, listed', async () => {
    const id = await create(noun);
    expect(await json([noun, 'tag', id])).toEqual([]);
    const names = async (...argv: string[]) =>
      (await json<{ tag: string }[]>([noun, 'tag', id, ...argv])).map(({ tag }) => tag).sort();
    expect(await names('vip', 'wave 2')).toEqual(['vip', 'wave 2']);
    expect(await names('trial', '--remove', 'vip', '--remove', 'wave 2')).toEqual(['trial']);
    expect((await run([noun, 'tag', id, 'new', '--remove', 'absent'])).code).toBe(6);
    expect(await names()).toEqual(['trial']);
  });
});

describe('failures', () => {
  /** The arguments, the exit code, and the error code. */
  const FAILURES: readonly [string[], number, string][] = [
    [['users', 'token', 'ID'], 2, 'usage'],
    [['users', 'token', 'ID', '--scope', 'everything'], 2, 'usage'],
    [['users', 'token', 'ID', '--scope', 'vault', '--ttl', 'soon'], 2, 'usage'],
    [['users', 'token', 'ID', '--scope', 'vault'], 7, 'invalid_request'],
    [['users', 'token', 'ID', '--scope', 'vault', '--field', 'id.nose'], 7, 'invalid_request'],
    [['users', 'token', 'ID', '--scope', 'vault', '--field', 'id.dob', '--ttl', '1s'], 7, 'invalid_request'],
    [['users', 'token', NOBODY, '--scope', 'vault', '--field', 'id.dob'], 6, 'not_found'],
    [['businesses', 'token', 'ID', '--scope', 'vault', '--field', 'id.dob'], 2, 'usage'],
    [['tokens', 'list', NOBODY], 6, 'not_found'],
    [['tokens', 'delete', 'tok_0000000000000000000000', '--yes'], 6, 'not_found'],
    [['users', 'label', 'ID', 'friend'], 2, 'usage'],
    [['users', 'tag', 'ID', 'no/slash'], 7, 'invalid_request'],
    [['users', 'tag', 'ID', 'a', '--remove', 'a'], 2, 'usage'],
    [['users', 'documents', NOBODY], 6, 'not_found'],
    [['users', 'duplicates', NOBODY], 6, 'not_found'],
    [['users', 'duplicates', 'ID', '--limit', '101'], 2, 'usage'],
  ];

  test.each(FAILURES)('%j: ends with %i', async (argv, exitCode, code) => {
    const id = await create('users');
    const failed = await run([...argv.map((word) => (word === 'ID' ? id : word)), '--json']);
    expect(failed).toMatchObject({ code: exitCode, stdout: '' });
    expect(JSON.parse(failed.stderr)).toMatchObject({ code, exit_code: exitCode });
  });

  test('a key that may not decrypt makes no token that does, and ends with 4', async () => {
    const id = await create('users');
    const { key } = await json(['keys', 'create', '--permission', 'vault.write']);
    const environment = { KYCLONE_BASE_URL: daemon().url, KYCLONE_API_KEY: String(key) };
    const token = (scope: string) =>
      run(['users', 'token', id, '--scope', scope, '--field', 'id.dob'], { environment });
    expect((await token('decrypt')).code).toBe(4);
    expect((await token('vault')).code).toBe(0);
    expect((await run(['users', 'search', 'a@example.com'], { environment })).code).toBe(4);
  });

  test.each([
    ['users', 'label', 'ID', '219-09-9999'],
    ['users', 'tag', 'ID', '219/09/9999'],
    ['users', 'tag', 'ID', '--remove', '219-09-9999'],
    ['users', 'token', 'ID', '--scope', '219-09-9999'],
    ['users', 'token', 'ID', '--scope', 'vault', '--ttl', '219-09-9999'],
    ['users', 'duplicates', 'ID', '--limit', '219-09-9999'],
    ['users', 'search', '219-09-9999', '219-09-9999'],
    ['vault', 'upload', 'ID', 'custom.a', '219-09-9999'],
    ['vault', 'upload', 'ID', 'custom.a', '-', '--content-type', '219-09-9999'],
    ['vault', 'download', 'ID', 'custom.a', '--reason', 'r', '--out', 'no/219-09-9999'],
    ['vault', 'download', '219-09-9999'],
    ['vault', 'download', '--token', '219-09-9999'],
  ])('%s %s %s %s: a failure repeats no argument', async (...argv) => {
    const id = await create('users');
    const failed = await run(argv.map((word) => (word === 'ID' ? id : word)));
    expect(failed.code).not.toBe(0);
    expect(failed.stdout).toBe('');
    expect(failed.stderr).not.toMatch(/\b9999\b/);
    expect(failed.stderr).not.toBe('');
  });
});
