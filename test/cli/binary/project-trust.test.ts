/**
 * A project from a clone: what its file opens needs a confirmation, and its fixtures read only the project's own files.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonOf, type CliOptions } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';
import { tempDir } from '../../support/temp-dir.ts';

const OPEN = 'ephemeral: true\nsettings:\n  egress.policy: open\n  cors.origins: ["https://evil.example"]\n';
const START = ['start', '-d', '--json'];
const SETTINGS = ['api', 'GET', '/_kyclone/settings'];

describe('a project file that opens something', () => {
  let home: ReturnType<typeof tempDir>;
  let project: string;
  const run = (argv: readonly string[], options: Partial<CliOptions> = {}) =>
    runInProcess(argv, { home: home.path, cwd: project, ...options });
  const write = (name: string, text: string) => {
    mkdirSync(join(project, 'fixtures'), { recursive: true });
    writeFileSync(join(project, name), text);
  };

  beforeEach(() => {
    home = tempDir();
    project = join(home.path, 'project');
    mkdirSync(project);
  });
  afterEach(async () => {
    await run(['stop', '--trust-project']);
    await run(['stop']);
    home[Symbol.dispose]();
  });

  test.each([[START], [['exec', '--json', '--', 'true']], [['restart', '--json']]])(
    '%j: is refused without a terminal, with a list of what it opens (bug: it was applied unasked)',
    async (argv) => {
      write('kyclone.config.yaml', OPEN);
      const refused = await run(argv);
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(JSON.parse(refused.stderr)).toMatchObject({
        code: 'project_untrusted',
        context: { 'settings.egress.policy': 'open', 'settings.cors.origins': '["https://evil.example"]' },
      });
      expect((await run(['status'])).code).toBe(5);
    },
  );

  test.each([
    ['--trust-project', [...START, '--trust-project'], {}],
    ['KYCLONE_TRUST_PROJECT=1', START, { KYCLONE_TRUST_PROJECT: '1', CI: 'true' }],
  ])('start: %s agrees, for this time', async (_, argv, environment) => {
    write('kyclone.config.yaml', OPEN);
    expect(await run(argv, { environment })).toMatchObject({ code: 0 });
    expect(jsonOf(await run(SETTINGS))).toMatchObject({ egress: { policy: 'open' } });
    expect((await run(['exec', '--', 'true'])).code).toBe(3);
  });

  test('start: KYCLONE_TRUST_PROJECT=0 and CI agree to nothing', async () => {
    write('kyclone.config.yaml', OPEN);
    expect((await run(START, { environment: { KYCLONE_TRUST_PROJECT: '0', CI: 'true' } })).code).toBe(3);
  });

  test('exec: a project that widens the egress policy which the user keeps is asked about', async () => {
    write('kyclone.config.yaml', 'settings:\n  egress.policy: local\n');
    expect((await run(['exec', '--', 'true'])).code).toBe(0);
    expect((await run(['config', 'set', 'egress.policy', 'strict'])).code).toBe(0);
    expect((await run(['exec', '--', 'true'])).code).toBe(3);
  });

  test('exec, fixtures run: a fixture of the project that opens something through the API is asked about', async () => {
    write('kyclone.config.yaml', 'ephemeral: true\nfixtures: [fixtures/a.yaml]\n');
    const step = '{ call: PATCH /_kyclone/settings, as: control, body: { egress: { policy: open } } }';
    write('fixtures/a.yaml', `steps:\n  - ${step}\n`);
    const refused = await run(['exec', '--json', '--', 'true']);
    expect(refused.code).toBe(3);
    expect(JSON.parse(refused.stderr)).toMatchObject({
      context: { 'fixtures/a.yaml, step 1': 'PATCH /_kyclone/settings' },
    });
    expect((await run([...START, '--trust-project'])).code).toBe(0);
    expect((await run(['fixtures', 'run'])).code).toBe(3);
    // A person who names a file has chosen it, so no confirmation is needed.
    expect((await run(['fixtures', 'run', 'fixtures/a.yaml'])).code).toBe(0);
  });

  test('exec: a fixture reads no file outside the project (it sent any file of the user to the instance)', async () => {
    const secret = join(home.path, 'secret.png');
    writeFileSync(secret, 'canary');
    for (const path of ['../../secret.png', secret, '/proc/self/environ']) {
      write('kyclone.config.yaml', 'fixtures: [fixtures/a.yaml]\n');
      write(
        'fixtures/a.yaml',
        `steps:\n  - { id: a, call: POST /users }\n  - { call: "POST /users/\${a.id}/vault/document.passport.front.image/upload", file: ${path} }\n`,
      );
      const refused = await run(['exec', '--json', '--', 'true']);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('outside the folder of the project');
      expect(refused.stderr).not.toContain('secret');
    }
  });

  describe.skipIf(!hasTerminal && process.env['CI'] === undefined)('at a terminal', () => {
    const ask = (keys: string, argv = ['exec', '--', 'true']) =>
      runOnTerminal(argv, { home: home.path, cwd: project, typing: [{ after: /exactly the same\?/, keys }] });

    test('exec: is shown and asked about once, and again when it opens more', async () => {
      write('kyclone.config.yaml', OPEN);
      const no = await ask('n\r');
      expect(no.code).toBe(1);
      expect(no.screen).toContain('settings.cors.origins: ["https://evil.example"]');
      const yes = await ask('y\r');
      expect(yes.code).toBe(0);
      expect(yes.screen).toContain('exactly the same?');

      const again = await ask('n\r');
      expect(again.code).toBe(0);
      expect(again.screen).not.toContain('exactly the same?');
      expect((await run(['exec', '--', 'true'])).code).toBe(0);
      write('kyclone.config.yaml', `seed: other\n${OPEN}`);
      expect((await run(['exec', '--', 'true'])).code).toBe(0);
      write('kyclone.config.yaml', `${OPEN}  hosts: [evil.example]\n`);
      expect((await run(['exec', '--', 'true'])).code).toBe(3);

      const kept = join(home.path, 'state', 'trusted-projects.json');
      expect(statSync(kept).mode & 0o777).toBe(0o600);
      expect(readFileSync(kept, 'utf8')).toMatch(/^\{"agreed":\["[0-9a-f]{64}"\]\}\n$/);
    });

    test('exec: the list holds no character that the terminal interprets', async () => {
      write('kyclone.config.yaml', 'settings:\n  hosts: ["a\\u202eb\\e]0;title\\a"]\n');
      const asked = await ask('n\r');
      expect(asked.screen).toContain('Setting hosts[0] must be a host name');
      expect(asked.screen).not.toMatch(/\u202e|\u001b\]0/);
    });
  });
});
