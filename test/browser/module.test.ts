/** The components of `kyclone/browser` in a real browser: only there do frames, dialogs and policies of pages exist. */
import type { FrameLocator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { loopbackServer } from '../support/loopback.ts';
import { built, notesOf, waitUntilNoted } from './app.ts';
import { expectAccessible } from './axe.ts';
import { anIntent } from './bank.ts';
import { FOREIGN_HOST, skipsBrowser, useBrowser } from './chromium.ts';
import { aVault } from './developer.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import {
  agree,
  aPlaybook,
  aSession,
  finish,
  giveCode,
  giveNameAndAgree,
  identify,
  proceed,
} from './hosted.ts';
import { aModuleApp, consoleOf, expectFits, strictPolicy, type ModuleApp } from './module-app.ts';
import '../support/tier-all.ts';

const CALLBACKS = `
  onAuth: () => note('auth'),
  onComplete: (token) => note('complete:' + token),
  onCancel: () => note('cancel'),
  onClose: () => note('close'),
  onError: (message) => note('error:' + quoted(message)),
`;

let people = 0;

/** The address of a person whom no other test knows. */
const anEmail = () => `module.${++people}@hosted.example`;

async function goThrough(frame: FrameLocator): Promise<void> {
  await giveNameAndAgree(frame, anEmail());
  await finish(frame, 'Pass');
}

describe.skipIf(skipsBrowser)('kyclone/browser', () => {
  const browser = useBrowser();
  const daemon = useDaemon();

  async function open(
    app: Omit<ModuleApp, 'baseUrl'> & { baseUrl?: string; host?: string },
  ): Promise<{ page: Page; frame: FrameLocator; lines: string[] }> {
    const port = await aModuleApp({ baseUrl: daemon().url, ...app });
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    const lines = consoleOf(page);
    await page.goto(`http://${app.host ?? 'localhost'}:${port}/`);
    await page.locator('#render').click();
    return { page, frame: page.frameLocator('iframe'), lines };
  }

  const playbookOf = (...requirements: string[]) =>
    aPlaybook(daemon(), { requirements: requirements.map((name) => [name]) });

  const aToken = async () => (await aSession(daemon(), { key: await playbookOf('id.first_name') })).token;

  const verify = (token: string, more = '') =>
    `{ kind: 'verify', authToken: '${token}', ${CALLBACKS} ${more} }`;

  test.each(["variant: 'modal'", "variant: 'drawer'", "variant: 'inline', containerId: 'place'"])(
    'verify: with %s it ends with a token that the server validates, and prints nothing to the console',
    async (variant) => {
      const { page, frame, lines } = await open({ options: verify(await aToken(), variant) });
      await frame.getByLabel('E-mail address').waitFor();
      const isInline = variant.includes('inline');
      await expect.poll(() => page.locator('#place iframe').count()).toBe(isInline ? 1 : 0);
      await expectAccessible(page);
      await expectFits(page);
      await goThrough(frame);
      await waitUntilNoted(page, 'close');
      const [auth, complete = '', close] = (await notesOf(page)).split(' ');
      expect([auth, close]).toEqual(['auth', 'close']);
      const validation_token = complete.replace('complete:', '');
      const validated = await ask(daemon(), 'POST', '/onboarding/session/validate', { validation_token });
      expect(validated['user']).toMatchObject({ status: 'pass' });
      await expect.poll(() => page.locator('dialog, iframe').count()).toBe(0);
      expect(lines).toEqual([]);
    },
  );

  test('verify: with showCompletionPage the last page stays until the person closes it, which cancels nothing', async () => {
    const options = verify(await aToken(), 'options: { showCompletionPage: true }');
    const { page, frame } = await open({ options });
    await goThrough(frame);
    await frame.getByRole('heading', { name: 'You are done' }).waitFor();
    await expect.poll(() => notesOf(page)).toMatch(/^auth complete:vtok_\w+$/);
    await page.getByRole('button', { name: 'Close' }).click();
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).not.toContain('cancel');
  });

  test('verify: closing cancels; destroy calls nothing', async () => {
    const { page, frame } = await open({ options: verify(await aToken(), 'l10n: { language: "es" }') });
    await frame.getByText('Empecemos').waitFor();
    await page.getByRole('button', { name: 'Cerrar' }).click();
    await expect.poll(() => notesOf(page)).toBe('cancel close');
    await page.evaluate('document.body.dataset.noted = ""');
    await page.locator('#render').click();
    await frame.getByText('Empecemos').waitFor();
    await page.evaluate("document.querySelector('#destroy').click()");
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await expect.poll(() => notesOf(page)).toBe('');
  });

  test('verify: a public key alone starts a session, filled in with bootstrapData; sandboxOutcome answers the last step', async () => {
    const key = await playbookOf('id.first_name', 'id.last_name');
    const email = anEmail();
    const options = `{ kind: 'verify', publicKey: '${key}', ${CALLBACKS}
      bootstrapData: { 'id.email': '${email}', 'id.firstName': 'Jane', 'id.last_name': 'Doe' },
      sandboxOutcome: { overallOutcome: 'manual_review' } }`;
    const { page, frame, lines } = await open({ options });
    await expect.poll(() => frame.getByLabel('E-mail address').inputValue()).toBe(email);
    await proceed(frame);
    await giveCode(frame);
    await expect.poll(() => frame.getByLabel('First name').inputValue()).toBe('Jane');
    await proceed(frame);
    await frame.getByLabel('E-mail address (optional)').waitFor();
    await proceed(frame);
    await agree(frame);
    await waitUntilNoted(page, 'close');
    const validation_token = /complete:(\S+)/.exec(await notesOf(page))?.[1];
    const validated = await ask(daemon(), 'POST', '/onboarding/session/validate', { validation_token });
    expect(validated['user']).toMatchObject({ status: 'fail', requires_manual_review: true });
    expect(lines).toEqual([]);

    const unknown = await open({ options: options.replace(key, 'pb_test_nothing') });
    await waitUntilNoted(unknown.page, 'error:No_playbook_has_this_key');
  });

  test('components: it opens the flow, whose last step the prefix of sandboxId answers', async () => {
    const options = verify(await aToken(), "sandboxId: 'passport1'").replace("'verify'", "'components'");
    const { page, frame, lines } = await open({ options });
    await giveNameAndAgree(frame, anEmail());
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).toMatch(/^auth complete:vtok_\w+ close$/);
    expect(lines).toEqual([]);
  });

  test('verify: userData fills in the flow of a token; what the server gave stays', async () => {
    const key = await playbookOf('id.first_name', 'id.last_name');
    const { token } = await aSession(daemon(), { key, bootstrap_data: { 'id.last_name': 'Server' } });
    const more = `userData: { 'id.last_name': 'Page', 'id.firstName': 'Joan' }`;
    const { frame } = await open({ options: verify(token, more) });
    await identify(frame, anEmail());
    await expect.poll(() => frame.getByLabel('First name').inputValue()).toBe('Joan');
    await expect.poll(() => frame.getByLabel('Last name').inputValue()).toBe('Server');
  });

  test('update_login_methods and auth: they open the flow of a user token, and need one', async () => {
    const { id } = await ask(daemon(), 'POST', '/users', { 'id.email': anEmail() });
    const { token } = await ask(daemon(), 'POST', `/users/${id}/token`, { kind: 'update_auth_methods' });
    const options = `{ kind: 'update_login_methods', authToken: '${String(token)}', ${CALLBACKS} }`;
    const { page, frame, lines } = await open({ options });
    await frame.getByLabel('E-mail address').fill(anEmail());
    await proceed(frame);
    await giveCode(frame);
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).toMatch(/^auth complete:vtok_\w+ close$/);
    expect(lines).toEqual([]);
    const without = await open({ options: `{ kind: 'auth', publicKey: 'pb_test_x', ${CALLBACKS} }` });
    await waitUntilNoted(without.page, 'error:auth_needs_authToken');
  });

  test('launch: it links a bank, and reports each event before its callback', async () => {
    const { id: fp_id } = await ask(daemon(), 'POST', '/users', {});
    const intent = async () => (await anIntent(daemon(), { fp_id })).intent_token;
    const app = (authToken: string) => ({
      options: '{}',
      imports:
        "import { launch } from '/browser-bank-link.js'; import kyclone, { configure } from '/browser.js';",
      setup: `kyclone.init = () => ({
        render: () => (window.link = launch({ authToken: '${authToken}', onSuccess: (token) => note('success!' + token),
          onExit: () => note('exit!'), onEvent: note, onError: (message) => note('error!' + quoted(message)) })),
        destroy: () => window.link.destroy(),
      });
      window.KYCLONE_BASE_URL = '${daemon().url}';`,
    });
    const { page, frame, lines } = await open(app(await intent()));
    await frame.getByLabel('Search for your bank').fill('Example Savings');
    await proceed(frame);
    await frame.getByRole('radio', { name: 'Thin' }).check();
    await proceed(frame);
    await frame.getByRole('heading', { name: 'Which accounts?' }).waitFor();
    await proceed(frame);
    await frame.getByRole('checkbox', { name: 'I agree' }).check();
    await proceed(frame, 'Agree and link');
    await waitUntilNoted(page, 'success!');
    const [opened, success, called = ''] = (await notesOf(page)).split(' ');
    expect([opened, success]).toEqual(['open', 'success']);
    const linked = await ask(daemon(), 'POST', '/bank_links', {
      fp_id,
      validation_token: called.replace('success!', ''),
    });
    expect(linked['id']).toMatch(/^link_/);
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    expect(lines).toEqual([]);

    const left = await open(app(await intent()));
    await left.frame.getByLabel('Search for your bank').waitFor();
    await left.page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => notesOf(left.page)).toBe('open exit exit!');
    const wrong = await open(app('nonsense'));
    await waitUntilNoted(wrong.page, 'error!token_must_be_a_blit_');
  });

  test('verify-button: it draws a button that opens the dialog', async () => {
    const options = `{ kind: 'verify-button', variant: 'inline', containerId: 'place', label: 'Check me',
      dialogVariant: 'drawer', authToken: '${await aToken()}', onClick: () => note('click'), ${CALLBACKS} }`;
    const { page, frame, lines } = await open({ options });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Check me' }).click();
    await frame.getByLabel('E-mail address').waitFor();
    await expect.poll(() => notesOf(page)).toBe('click');
    expect(lines).toEqual([]);
  });

  test('appearance: the page has what it has settings for; one warning names the rest', async () => {
    const appearance = `appearance: { fontSrc: 'https://fonts.example/x.css', theme: 'dark',
      variables: { colorAccent: 'orange', borderRadius: '3px', fontFamily: 'Georgia', inputHeight: '50px' },
      rules: { button: { transition: 'none' } } }`;
    const { page, frame, lines } = await open({ options: verify(await aToken(), appearance) });
    await frame.getByRole('button', { name: 'Continue', exact: true }).waitFor();
    const shown = await page.frames()[1]?.evaluate(`(() => {
      const { backgroundColor, borderRadius, fontFamily } = getComputedStyle(document.querySelector('.kyclone-primary'));
      return [backgroundColor, borderRadius, fontFamily];
    })()`);
    expect(shown).toEqual(['rgb(255, 165, 0)', '3px', 'Georgia']);
    expect(lines).toEqual([
      'kyclone: the appearance has no effect for variables.inputHeight, rules.button.transition, fontSrc',
    ]);
  });

  test.each([
    ['nothing listens', { baseUrl: 'http://127.0.0.1:9' }, 'Nothing_answers_at_http://127.0.0.1:9.'],
    ['the origin is not served', { host: FOREIGN_HOST }, 'does_not_serve_pages_of_http://app.example'],
    ['the policy of the page forbids the frame', { policy: "frame-src 'none'" }, 'add_it_to_frame-src'],
  ])(
    'verify: onError has a sentence within 5 s when %s, and the dialog shows it',
    async (_, app, sentence) => {
      const { page } = await open({ options: verify(await aToken()), ...app });
      await page.locator(`body[data-noted*="${sentence}"]`).waitFor({ state: 'attached', timeout: 5000 });
      const shown = await page.getByRole('alert').innerText();
      expect(shown.replaceAll(' ', '_')).toContain(sentence);
      await page.getByRole('button', { name: 'Close' }).click();
      expect((await notesOf(page)).split(' ').slice(1)).toEqual(['cancel', 'close']);
    },
  );

  test('verify: onError has a sentence within 5 s when something listens that does not answer', async () => {
    await using silent = await loopbackServer(() => undefined);
    const { page } = await open({
      options: verify(await aToken()),
      baseUrl: `http://127.0.0.1:${silent.port}`,
    });
    const noted = page.locator('body[data-noted*="does_not_answer_within_3.5_s"]');
    await noted.waitFor({ state: 'attached', timeout: 5000 });
  });

  test('verify: a token that is none, and a container that is missing, are reported in words', async () => {
    const wrong = await open({ options: verify('sk_test_x') });
    await waitUntilNoted(wrong.page, 'error:token_must_be_an_obtok_');
    const missing = await open({ options: verify(await aToken(), "variant: 'inline', containerId: 'none'") });
    await waitUntilNoted(missing.page, 'no_element_with_the_id_none');
  });

  test('form: it stores what is typed, shows refusals beside the fields, and saves through getRef', async () => {
    const vault = await aVault(daemon());
    const fields = ['id.first_name', 'id.ssn9', `custom.${'w'.repeat(200)}`];
    const token = await vault.token({ scope: 'vault', fields });
    const form = (more: string) => `{ kind: 'form', authToken: '${token}', title: 'Your data', ${CALLBACKS}
      getRef: ({ save }) => (window.save = save), ${more} }`;
    const { page, lines } = await open({ options: form('') });
    const dialog = page.getByRole('dialog', { name: 'Your data' });
    await dialog.getByLabel('First name').fill('Jane');
    await dialog.getByLabel('Social security number').fill('12');
    await expectAccessible(page);
    await expectFits(page);
    await expect.poll(() => page.evaluate("document.querySelector('.kyclone-panel').scrollWidth")).toBe(390);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Please correct' }).waitFor();
    await waitUntilNoted(page, 'error:');
    await dialog.getByLabel('Social security number').fill('121-12-1212');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await waitUntilNoted(page, 'close');
    await expect.poll(() => notesOf(page)).toMatch(/complete:undefined close$/);
    expect(await vault.stored('id.first_name', 'id.ssn9')).toEqual({
      'id.first_name': 'Jane',
      'id.ssn9': '121121212',
    });
    // The browser reports the refused call by itself.
    expect(lines.filter((line) => !line.includes('400'))).toEqual([]);

    const bare = await open({
      options: form("variant: 'inline', containerId: 'place', options: { hideButtons: true }"),
    });
    await bare.page.getByLabel('First name').fill('Joan');
    await expect.poll(() => bare.page.locator('#place').getByRole('button').count()).toBe(0);
    await bare.page.evaluate('save()');
    await expect.poll(() => notesOf(bare.page)).toBe('complete:undefined');
    expect(await vault.stored('id.first_name')).toEqual({ 'id.first_name': 'Joan' });
    expect(await bare.page.evaluate('save().catch(({ name }) => name)')).toBe('VaultError');
  });

  test('form: beside a form of kyclone/form no ids are shared, and a label belongs to its own input', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault', fields: ['id.first_name'] });
    const { page } = await open({
      options: `{ kind: 'form', authToken: '${token}', containerId: 'place', variant: 'inline', ${CALLBACKS} }`,
      imports: `import kyclone, { configure } from '/browser.js'; import { vaultForm } from '/form.js';
        vaultForm({ container: document.querySelector('h1'), baseUrl: '${daemon().url}', token: '${token}',
          fields: ['id.first_name'] });`,
      files: { '/form.js': built('form.js') },
    });
    await page.locator('#place').getByLabel('First name').fill('Jane');
    const ids = await page.evaluate<string[]>('[...document.querySelectorAll("[id]")].map(({ id }) => id)');
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('form: in a dialog it has the colours of the app; a token that permits no writing is reported at once', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault', fields: ['id.first_name'] });
    const appearance = `appearance: { variables: { dialogBg: '#222222', labelColor: '#ffffff' } }`;
    const { page } = await open({
      options: `{ kind: 'form', authToken: '${token}', ${appearance}, ${CALLBACKS} }`,
    });
    await page.getByLabel('First name').waitFor();
    const drawn = await page.evaluate(`(({ backgroundColor, color }) => [backgroundColor, color])(
      getComputedStyle(document.querySelector('.kyclone-panel')))`);
    expect(drawn).toEqual(['rgb(34, 34, 34)', 'rgb(255, 255, 255)']);
    const reading = await vault.token({
      scope: 'decrypt',
      fields: ['id.first_name'],
      decrypt_reason: 'support',
    });
    const other = await open({ options: `{ kind: 'form', authToken: '${reading}', ${CALLBACKS} }` });
    await waitUntilNoted(other.page, 'error:This_token_permits_no_writing');
    await expect.poll(() => other.page.locator('dialog').count()).toBe(0);
  });

  test('form: Cancel and Close leave it; without an instance onError has a sentence', async () => {
    const vault = await aVault(daemon());
    const token = await vault.token({ scope: 'vault', fields: ['id.first_name'] });
    const options = `{ kind: 'form', authToken: '${token}', variant: 'drawer', l10n: { locale: 'es-MX' }, ${CALLBACKS} }`;
    const { page } = await open({ options });
    await page.getByRole('button', { name: 'Cancelar' }).click();
    await expect.poll(() => notesOf(page)).toBe('cancel close');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    const dead = await open({ options, baseUrl: 'http://127.0.0.1:9' });
    await waitUntilNoted(dead.page, 'error:Nothing_answers_at');
  });

  test('render: it shows a field, hides it, and copies it', async () => {
    const vault = await aVault(daemon(), { 'id.ssn9': '121121212' });
    const token = await vault.token({ scope: 'decrypt', fields: ['id.ssn9'], decrypt_reason: 'support' });
    const options = `{ kind: 'render', authToken: '${token}', id: 'id.ssn9', containerId: 'place', label: 'Tax number',
      canCopy: true, defaultHidden: true, showHiddenToggle: true, ${CALLBACKS} }`;
    const { page, lines } = await open({ options });
    const part = page.getByRole('group', { name: 'Tax number' });
    await part.getByText('••••••••').waitFor();
    await expect.poll(() => part.innerText()).not.toContain('121');
    await expectAccessible(page);
    await expectFits(page);
    await part.getByRole('button', { name: 'Show' }).click();
    await part.getByText('121121212').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await part.getByRole('button', { name: 'Copy' }).click();
    await part.getByRole('button', { name: 'Copied' }).waitFor();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('121121212');
    await page.locator('#destroy').click();
    await expect.poll(() => part.count()).toBe(0);
    expect(lines).toEqual([]);
  });

  test('script: a plain page loads it from the instance, under the name of its element', async () => {
    const token = await aToken();
    const { url } = daemon();
    const { page, frame, lines } = await open({
      options: verify(token),
      scripts: `<script src="${url}/hosted/browser.js" crossorigin data-global="identity"></script><script src="/plain.js"></script>`,
      policy: strictPolicy(url).replace("script-src 'self'", `script-src 'self' ${url}`),
      files: {
        '/plain.js': `
          window.KYCLONE_BASE_URL = '${url}/';
          const note = (text) => (document.body.dataset.noted += text + ' ');
          const component = window.identity.init({ kind: 'verify', authToken: '${token}' });
          document.querySelector('#render').addEventListener('click', () => component.render());`,
      },
    });
    await frame.getByLabel('E-mail address').waitFor();
    expect(await page.evaluate('typeof window.kyclone')).toBe('undefined');
    expect(lines).toEqual([]);
  });

  test('script: an element with data-public-key gets the button, which calls the callbacks of the page', async () => {
    const { url } = daemon();
    const key = await playbookOf('id.first_name');
    const { page, frame, lines } = await open({
      options: '',
      scripts: `<div id="identity-button" data-public-key="${key}"></div><script src="/plain.js"></script>
        <script src="${url}/hosted/browser.js" crossorigin data-global="identity"></script>`,
      policy: strictPolicy(url).replace("script-src 'self'", `script-src 'self' ${url}`),
      files: {
        '/plain.js': `
          window.KYCLONE_BASE_URL = '${url}';
          window.identityCallbacks = { onCancel: () => (document.body.dataset.noted = 'canceled') };`,
      },
    });
    await page.getByRole('button', { name: 'Verify my identity' }).click();
    await frame.getByLabel('E-mail address').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => notesOf(page)).toBe('canceled');
    expect(lines).toEqual([]);
  });
});
