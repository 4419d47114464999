/** Hosted flows through the real binary and a real daemon, which restarts in between (contract §10, §11). */
import { readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBinding } from '../../../src/storage/binding.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { aPng, aReadyUser } from '../../support/builders.ts';
import { aDesktop } from '../../support/desktop.ts';
import { readQrCode } from '../../support/qr-codes.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';

const PERSON = JSON.stringify(aReadyUser());

const daemon = useDaemon({ isDurable: true });
const { run } = cliIn(() => daemon().home, 'onboardings');
const { json } = cliIn(() => daemon().home);
const { run: bankLink } = cliIn(() => daemon().home, 'bank', 'link');

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/hosted\/onboarding#obtok_\w{34}\n$/;

test('onboardings start --open: prints the link, which is opened on a desktop and leads to the page', async () => {
  const plain = await run(['start', '--open']);
  expect(plain.stdout).toMatch(LINK);
  expect((await fetch(plain.stdout.trim())).headers.get('content-type')).toContain('text/html');
  if (process.platform !== 'linux') return;
  const desktop = aDesktop({ follows: true });
  const opened = await run(['start', '--open'], { environment: desktop.environment });
  expect(opened.stdout).toMatch(LINK);
  await expect.poll(desktop.followed).toBe(`303 ${opened.stdout.trim()}`);
  // Every user of the machine can read the opener's arguments, so they must not hold the token.
  expect(desktop.opened()).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/)]);
});

test('onboardings start --open: --json prints the session and opens nothing; --run has no page', async () => {
  const desktop = aDesktop();
  const made = await json(['onboardings', 'start', '--open'], { environment: desktop.environment });
  expect(made.token).toMatch(/^obtok_/);
  expect(desktop.opened()).toEqual([]);
  expect((await run(['start', '--open', '--run'])).code).toBe(2);
});

test('bank link --open: prints and opens the page of the intent, and links the accounts agreed to', async () => {
  const user = String((await json(['users', 'create', '--data', '-'], { stdin: PERSON }))['id']);
  const desktop = aDesktop({ follows: process.platform === 'linux' });
  const { environment } = desktop;
  const opened = await bankLink(`--user ${user} --open`, { environment });
  expect(opened.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hosted\/bank_link#blit_\w{34}\n$/);
  expect((await fetch(opened.stdout.trim())).headers.get('content-type')).toContain('text/html');
  if (process.platform === 'linux') {
    await expect.poll(desktop.followed).toBe(`303 ${opened.stdout.trim()}`);
  }
  const refusals = ['--open --intent-only', '--open --external-id mine', '--redirect-url http://localhost/'];
  for (const flags of refusals) {
    const refused = await bankLink(`--user ${user} ${flags}`);
    expect(refused, flags).toMatchObject({ code: 2, stdout: '' });
  }
  const elsewhere = `--user ${user} --open --redirect-url http://else.example/`;
  expect((await bankLink(elsewhere)).code).toBe(7);
  for (const [flag, nobody, noun] of [
    ['--user', 'fp_id_7p793EF07xKXHqAeg5VGPj', 'user'],
    ['--business', 'fp_bid_7p793EF07xKXHqAeg5VGPj', 'business'],
  ] as const) {
    const refused = await bankLink(`${flag} ${nobody} --open`);
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`^Error: ${flag}: no ${noun} has this id\n`));
    expect(refused.stderr).not.toContain('fp_id');
  }
});

/** An address by which other machines reach this one. */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test.skipIf(!hasTerminal || outside === undefined)(
  '--open: a terminal shows a QR code of the link where a phone can follow it, and nothing else gets it',
  async () => {
    const reachable = await startDaemon({
      isDurable: true,
      options: ['--host', outside ?? '', '--allow-remote'],
    });
    onTestFinished(() => reachable[Symbol.asyncDispose]());
    const { home } = reachable;
    const user = await runInProcess(['users', 'create', '--field', 'id'], { home });
    for (const argv of [
      ['onboardings', 'start', '--open'],
      ['bank', 'link', '--user', user.stdout.trim(), '--open'],
    ]) {
      const { code, screen } = await runOnTerminal(argv, { home });
      expect(code, screen).toBe(0);
      const link = /^http:\S+/m.exec(screen)?.[0];
      expect(link).toContain(`${outside}:`);
      expect(readQrCode(screen)).toBe(link);
      expect((await fetch(link ?? '')).status).toBe(200);
      expect((await runOnTerminal([...argv, '--json'], { home })).screen).not.toMatch(/[▀▄█]/);
      expect((await runOnTerminal(argv, { home, environment: { TERM: 'dumb' } })).screen).not.toMatch(
        /[▀▄█]/,
      );
      expect((await runInProcess(argv, { home })).stdout).toMatch(/^http:\S+\n$/);
    }
    expect(
      (await runOnTerminal(['onboardings', 'start', '--open'], { home: daemon().home })).screen,
    ).not.toMatch(/[▀▄█]/);
  },
);

test('onboardings start --run: runs at once, or prints the token of a session', async () => {
  const ran = await run(['begin', '--run', '--user-external-id', 'customer-1', '--data', '-'], {
    stdin: PERSON,
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^status +pass\n/);
  const begun = await run(['begin', '--run', '--user-external-id', 'customer-2', 'id.first_name=Jane']);
  expect(begun.stdout).toMatch(/^obtok_\w{34}\n$/);
  expect(begun.stderr).toContain('Something is missing');
  expect((await run(['begin', '--run'])).code).toBe(7);
  const elsewhere = await run(['begin', '--redirect-url', 'https://elsewhere.example/']);
  expect(elsewhere.stderr).toContain('cors.origins');
});

test('a start destroys the choices of expired intents and the data of expired sessions, pictures included', async () => {
  using home = tempDir();
  const before = await startDaemon({ home: home.path, isDurable: true });
  const cli = async (...argv: string[]) => {
    const outcome = await runInProcess(argv, { home: home.path });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    return outcome.stdout.trim();
  };
  const post = async (token: string, path: string, body: object | Uint8Array<ArrayBuffer>) => {
    const isPicture = body instanceof Uint8Array;
    const response = await fetch(`${before.url}/hosted/session/${path}`, {
      method: 'POST',
      headers: { 'x-fp-authorization': token, 'content-type': isPicture ? 'image/png' : 'application/json' },
      body: isPicture ? body : JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBe(200);
  };
  const user = await cli('users', 'create', '--field', 'id');
  const link = await cli('bank', 'link', '--user', user, '--open');
  await post(link.split('#')[1] ?? '', 'bank', { institution: 'A bank' });
  const playbook = 'playbooks create Paper --kind kyc --require-nothing --document passport --field key';
  const session = await cli('onboardings', 'start', '--playbook', await cli(...playbook.split(' ')));
  await post(session, 'identify', { data: { 'id.email': 'expired@hosted.example' } });
  await post(session, 'verify', { code: '000000' });
  await post(session, 'document', { kind: 'passport', country: 'DE' });
  await post(session, 'document/front', new Uint8Array(aPng()));
  await cli('clock', 'advance', '2h');
  await before.end();
  /** The choices and the pictures that are stored while no daemon runs. */
  const kept = () => {
    const store = openBinding(join(home.path, 'data', 'default', 'vault.db'));
    const choices = store.prepare('SELECT count(*) FROM bank_pages').pluck().get();
    store.close();
    const files = readdirSync(home.path, { recursive: true, withFileTypes: true });
    const isPicture = (each: (typeof files)[number]) =>
      each.isFile() && basename(each.parentPath) === 'files';
    return { choices, pictures: files.filter(isPicture).length };
  };
  expect(kept()).toEqual({ choices: 1, pictures: 1 });

  const after = await startDaemon({ home: home.path, isDurable: true });
  await after.end();

  expect(kept()).toEqual({ choices: 0, pictures: 0 });
});
