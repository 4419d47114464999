/** An address with a token reaches the browser of this user and of no other one. */
import '../../support/tier-all.ts';
import '../../support/own-process.ts';
import { execFile } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { openPrivately, ownerIn, showPrivately } from '../../../src/cli/shell/open-privately.ts';
import { aDesktop } from '../../support/desktop.ts';

const SECRET = 'http://127.0.0.1:4630/hosted/bank_link#blit_secret';
const isLinux = process.platform === 'linux';

function withDesktop(): ReturnType<typeof aDesktop> {
  const desktop = aDesktop();
  const before = { ...process.env };
  Object.assign(process.env, desktop.environment);
  onTestFinished(() => {
    process.env = before;
  });
  return desktop;
}

/** Opens the secret address; returns the address that the desktop was given, once it is there. */
async function opened(notes: string[] = []): Promise<{ address: string; done: Promise<boolean> }> {
  const desktop = withDesktop();
  const done = openPrivately(SECRET, { seesBrowser: true, note: (text) => notes.push(text) });
  await expect.poll(() => desktop.opened()[0]).toBeDefined();
  return { address: desktop.opened()[0] ?? '', done };
}

const ask = (address: string, init: RequestInit = {}) => fetch(address, { redirect: 'manual', ...init });

test('openPrivately: without somebody who sees a browser nothing is opened', async () => {
  expect(await openPrivately(SECRET, { seesBrowser: false, note: () => undefined })).toBe(false);
});

test.runIf(isLinux)(
  'openPrivately: the opener gets an address without the token, which leads there once',
  async () => {
    const { address, done } = await opened();
    expect(address).not.toContain('blit_');
    const { origin } = new URL(address);
    for (const [asked, init] of [
      [`${origin}/`, {}],
      [`${origin}/${'x'.repeat(32)}`, {}],
      [address, { method: 'POST' }],
      [address.replace('127.0.0.1', 'localhost'), {}],
    ] as const) {
      const refused = await ask(asked, init);
      expect(refused.status, asked).toBe(404);
      expect(refused.headers.get('location')).toBeNull();
    }

    const answer = await ask(address);

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(SECRET);
    expect(await done).toBe(true);
    await expect(ask(address)).rejects.toThrow();
  },
);

test.runIf(isLinux && process.getuid?.() === 0)(
  'openPrivately: another user of the machine is refused, and takes nothing away',
  async () => {
    const { address, done } = await opened();
    // The other user may not be able to read Node, so the script uses bash.
    const script = `exec 3<>/dev/tcp/127.0.0.1/${new URL(address).port}; printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' "$0" "$1" >&3; cat <&3`;
    const { pathname, host } = new URL(address);
    const output = await new Promise<string>((resolve) => {
      execFile('bash', ['-c', script, pathname, host], { uid: 65_534 }, (_, stdout) => resolve(stdout));
    });

    expect(output).toMatch(/^HTTP\/1\.1 403 /);
    expect(output).not.toContain('blit_');
    expect((await ask(address)).headers.get('location')).toBe(SECRET);
    expect(await done).toBe(true);
  },
);

test.runIf(isLinux)('openPrivately: an opener that is missing leaves the link, and says so', async () => {
  const notes: string[] = [];
  const before = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  onTestFinished(() => {
    process.env['PATH'] = before;
  });
  expect(await openPrivately(SECRET, { seesBrowser: true, note: (text) => notes.push(text) })).toBe(false);
  expect(notes).toEqual(['No browser could be opened: open the address yourself']);
});

test('ownerIn: whose connection it is, by both of its ends; -1 for one that is not there', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1216 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0
   1: 0100007F:1216 0100007F:A001 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 100 0
   2: 0100007F:A001 0100007F:1216 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 100 0`;
  expect(ownerIn(table, { from: 0xa001, to: 0x1216 })).toBe(1001);
  expect(ownerIn(table, { from: 0xa002, to: 0x1216 })).toBe(-1);
});

test.runIf(isLinux)(
  'showPrivately: the file is read for the browser that comes, once, and runs nothing',
  async () => {
    const desktop = withDesktop();
    let reads = 0;
    const done = showPrivately(
      () => {
        reads += 1;
        // eslint-disable-next-line @typescript-eslint/require-await -- as a file that comes over the wire
        const content = (async function* () {
          yield Buffer.from('an image');
        })();
        return Promise.resolve({ contentType: 'image/png', content });
      },
      { seesBrowser: true, note: () => undefined },
    );
    await expect.poll(() => desktop.opened()[0]).toBeDefined();
    const address = desktop.opened()[0] ?? '';
    expect((await ask(`${new URL(address).origin}/`)).status).toBe(404);
    expect(reads).toBe(0);

    const answer = await ask(address);

    expect(await answer.text()).toBe('an image');
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(await done).toBe(true);
    expect(reads).toBe(1);
    await expect(ask(address)).rejects.toThrow();
  },
);

test.runIf(isLinux)(
  'showPrivately: a file that can not be read is a failure, and nothing is shown',
  async () => {
    const desktop = withDesktop();
    const done = showPrivately(() => Promise.reject(new Error('refused')), {
      seesBrowser: true,
      note: () => undefined,
    });
    const failed = expect(done).rejects.toThrow('refused');
    await expect.poll(() => desktop.opened()[0]).toBeDefined();
    expect((await ask(desktop.opened()[0] ?? '')).status).toBe(502);
    await failed;
  },
);
