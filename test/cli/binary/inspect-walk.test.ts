/** Walks through the inspector from its start to a reveal, a resend, and every other action. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPng, KYC } from '../../support/builders.ts';
import { startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { startTarget } from '../../support/targets.ts';
import { hasTmux, Tmux } from '../../support/tmux.ts';

const SSN = '412739856';
const FRONT = 'document.passport.front.image';
const USER = {
  ...{ 'id.first_name': 'Quillonda', 'id.last_name': 'Oyelzarin', 'id.dob': '1988-12-30', 'id.ssn9': SSN },
  ...{ 'id.email': 'q@zephyr.example', 'id.phone_number': '+14155552671' },
  ...{ 'id.address_line1': '742 Zephyrgate Lane', 'id.city': 'Enclave', 'id.state': 'CA' },
  ...{ 'id.zip': '94117', 'id.country': 'US' },
};

function api({ url, apiKey, controlToken }: TestDaemon) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const isControl = path.startsWith('/_kyclone/');
    const isRaw = Buffer.isBuffer(body);
    const reply = await fetch(url + path, {
      method,
      headers: {
        ...(isControl ? { authorization: `Bearer ${controlToken}` } : { 'x-service-secret-key': apiKey }),
        ...(body !== undefined && !isRaw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as Record<string, unknown>;
  };
}

/** Makes two users. One has a document and an onboarding, and a receiver got the event of that onboarding. */
async function aWorld() {
  const daemon = await startDaemon();
  const receiver = await startTarget();
  const call = api(daemon);
  await call('POST', '/_kyclone/webhooks', { url: `${receiver.url}/hooks` });
  const created = await call('POST', '/users', undefined, { 'x-external-id': 'ext-first-0001' });
  await call('POST', '/users', undefined, { 'x-external-id': 'ext-second-0002' });
  const user = String(created['id']);
  await call('PATCH', `/users/${user}/vault`, USER);
  await call('POST', `/users/${user}/kyc`, { key: KYC, fixture_result: 'pass' });
  await call('POST', `/users/${user}/vault/${FRONT}/upload`, aPng(), { 'content-type': 'image/png' });
  await expect.poll(() => receiver.requests.length).toBe(1);
  return {
    ...{ daemon, receiver, call, user },
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

const without = (text: string) => new RegExp(`^(?![^]*${text})`);

/** Types a text, one key at a time. */
function type(terminal: Tmux, text: string): void {
  terminal.press(...Array.from(text, (character) => (character === ' ' ? 'Space' : character)));
}

/** Opens the palette and goes to the entry with this name. */
async function goTo(terminal: Tmux, name: string): Promise<void> {
  terminal.press(':');
  await terminal.until(/^:/m);
  type(terminal, name);
  await terminal.until(new RegExp(`> ${name}`));
  terminal.press('Enter');
}

test.skipIf(!hasTmux)(
  'inspect: from its start to a reveal and a resend, and through a decision, an onboarding, a sample event and a file',
  async () => {
    await using world = await aWorld();
    const { daemon, receiver, call, user } = world;
    using terminal = new Tmux(daemon.home);
    terminal.kyclone('inspect');
    await terminal.until(/connected[^]*of 2/);

    terminal.press('/');
    type(terminal, 'ext-first');
    terminal.press('Enter');
    await terminal.until(/who searches in vaults[^]*^Your name:/m);
    type(terminal, 'Zoe Desk');
    terminal.press('Enter');
    await terminal.until(new RegExp(`> ${user}[^]*/ext-first.* 1 of 1`));
    terminal.press('Enter');
    await terminal.until(new RegExp(`› User ${user}[^]*name +Q\\*\\*\\* O\\*\\*\\*`));
    terminal.press('Tab', '/');
    type(terminal, 'ssn9');
    await terminal.until(/> .*id\.ssn9 +\*\*\*9856/);
    terminal.press('Enter', 'x');
    await terminal.until(/Reveal a field · id\.ssn9 of [^]*^Reason:/m);
    terminal.press('Enter');
    await terminal.until(/Reason is needed/);
    type(terminal, 'ticket 4711');
    expect(await terminal.until(/Reason: ticket 4711/)).not.toContain(SSN);
    terminal.press('Enter');
    await terminal.until(new RegExp(`Hides in \\d+ s .*: id\\.ssn9 of [^]*${SSN}`));
    terminal.press('x');
    await terminal.until(without(SSN));
    const log = (await call('GET', `/_kyclone/access-log?fp_id=${user}&operation=decrypt`))[
      'data'
    ] as unknown[];
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({
      ...{ operation: 'decrypt', outcome: 'granted', identifiers: ['id.ssn9'], reason: 'ticket 4711' },
    });

    await goTo(terminal, 'deliveries');
    await terminal.until(/delivered .* 200/);
    terminal.press('r');
    await terminal.until(/is sent again[^]*y does it, n does nothing/);
    terminal.press('n');
    await terminal.until(/Nothing was done/);
    terminal.press('r');
    await terminal.until(/is sent again/);
    expect(receiver.requests).toHaveLength(1);
    terminal.press('y');
    await terminal.until(/Delivered to http/);
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);

    await goTo(terminal, 'users');
    terminal.press('/');
    type(terminal, 'ext-first');
    terminal.press('Enter');
    await terminal.until(new RegExp(`> ${user} .*pass[^]*/ext-first.* 1 of 1`));
    terminal.press('d');
    await terminal.until(/> 1 pass/);
    terminal.press('2');
    await terminal.until(/> 2 fail/);
    terminal.press('Enter');
    await terminal.until(/^Annotation:/m);
    type(terminal, 'not her');
    terminal.press('Enter');
    await terminal.until(/gets the status fail by hand[^]*“not her”; the reviewer is Zoe Desk/);
    terminal.press('y');
    await terminal.until(/Decided: fail/);
    await terminal.until(new RegExp(`> ${user} .*fail`));

    terminal.press('o');
    await terminal.until(/Playbook[^]*> 1 /);
    terminal.press('Enter');
    await terminal.until(/Outcome[^]*> 1 pass/);
    terminal.press('3');
    await terminal.until(/> 3 manual_review/);
    terminal.press('Enter');
    await terminal.until(/If an onboarding exists[^]*> 1 Run it again/);
    terminal.press('Enter');
    await terminal.until(/^Reason:/m);
    terminal.press('Enter');
    await terminal.until(/is run through playbook [^]*Its outcome is fail, and a person has to review it/);
    terminal.press('y');
    await terminal.until(/Onboarding ob_\w+: fail, to be reviewed/);

    terminal.press('t');
    await terminal.until(/Kind[^]*> 1 onboarding\.completed \(1 webhook\)/);
    terminal.press('Enter');
    await terminal.until(/Webhook[^]*> 1 All/);
    terminal.press('Enter');
    await terminal.until(/a sample event onboarding\.completed about [^]*goes to 1 webhook now/);
    const before = receiver.requests.length;
    terminal.press('y');
    await terminal.until(/onboarding\.completed: Delivered to http/);
    expect(receiver.requests.length).toBeGreaterThan(before);

    terminal.press('Enter');
    await terminal.until(/\[Overview/);
    terminal.press('Tab', 'Tab');
    await terminal.until(/> doc_.*passport +front/);
    terminal.press('w');
    await terminal.until(/^Reason:/m);
    type(terminal, 'ticket 4712');
    terminal.press('Enter');
    await terminal.until(/^Save as: \.\/fp_id_/m);
    const path = join(daemon.home, 'front.png');
    terminal.press('C-u');
    type(terminal, path);
    terminal.press('Enter');
    await terminal.until(/is saved in the clear as [^]*\(0600\)/);
    terminal.press('y');
    await terminal.until(/Saved /);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path).equals(aPng())).toBe(true);

    terminal.press('q');
    expect(await terminal.until(/ended \d/)).toContain('ended 0');
    expect(terminal.screen()).not.toContain(SSN);
  },
);

test.skipIf(!hasTmux)('inspect --readonly: reveals and changes nothing', async () => {
  await using world = await aWorld();
  const { daemon, receiver, call, user } = world;
  using terminal = new Tmux(daemon.home);
  terminal.kyclone('inspect', '--readonly', '--user', user);
  await terminal.until(/read only +connected[^]*status +pass/);
  terminal.press('Tab');
  await terminal.until(/> .*id\.\w+/);
  const refusals = [
    ['x', 'Reveal a field'],
    ['o', 'Run an onboarding'],
    ['d', 'Decide by hand'],
    ['t', 'Trigger an event'],
    ['w', 'Save a file'],
  ] as const;
  for (const [key, label] of refusals) {
    terminal.press(key);
    await terminal.until(new RegExp(`--readonly is on: ${label}`));
  }
  await goTo(terminal, 'deliveries');
  await terminal.until(/delivered .* 200/);
  terminal.press('r');
  await terminal.until(/--readonly is on: Resend an event/);
  terminal.press(':');
  await terminal.until(/^:/m);
  type(terminal, 'reveal');
  await terminal.until(/> search +find a person by/);
  terminal.press('Escape', 'q');
  await terminal.until(/ended 0/);
  expect(receiver.requests).toHaveLength(1);
  // The user's own onboarding, before the inspector began.
  const { data } = await call('GET', `/_kyclone/access-log?fp_id=${user}`);
  expect(data).toMatchObject([{ operation: 'run', operator: null }]);
});
