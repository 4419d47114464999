/**
 * A unique value is put wherever a value can go. Then every file that the daemon wrote is searched for it, in the forms
 * in which it could have leaked.
 */
import { expect, test } from 'vitest';
import { until, type Kycloned } from '../support/kycloned.ts';
import {
  aStage,
  CARD,
  countKept,
  DIGITS,
  filesBelow,
  filesWith,
  FORMS,
  leaksBelow,
  MAIL,
  PHONE,
  sealedIn,
  WORD,
} from './canary.ts';
import { deleteFromVault } from './file-calls.ts';

const USER = {
  'id.first_name': WORD,
  'id.middle_name': WORD,
  'id.last_name': WORD,
  'id.dob': '1903-05-17',
  'id.ssn9': DIGITS,
  'id.address_line1': WORD,
  'id.address_line2': WORD,
  'id.city': WORD,
  'id.state': WORD,
  'id.zip': `${WORD} 1`,
  'id.email': MAIL,
  'id.phone_number': PHONE,
  'id.drivers_license_number': WORD,
  'custom.text': WORD,
  'custom.nested': { list: [WORD, { deep: `before ${WORD} after` }], [WORD]: true },
  'investor_profile.occupation': WORD,
  'investor_profile.employer': WORD,
  'investor_profile.political_organization': WORD,
  'investor_profile.family_member_names': [WORD, WORD],
  'document.passport.full_name': WORD,
  'document.passport.document_number': WORD,
  'document.id_card.full_address': WORD,
  'card.primary.number': CARD,
  'card.primary.name': WORD,
  'card.primary.billing_address.zip': WORD,
  'bank.main.ach_routing_number': '021000021',
  'bank.main.ach_account_number': DIGITS,
  'bank.main.name': WORD,
  'bank.main.ach_account_id': WORD,
};

const BUSINESS = {
  'business.name': WORD,
  'business.dba': WORD,
  'business.address_line1': WORD,
  'business.city': WORD,
  'business.tin': DIGITS,
  'business.website': `https://${WORD.toLowerCase()}.example/${WORD}`,
  'business.phone_number': PHONE,
  'business.beneficial_owner_explanation_message': WORD,
  'business.beneficial_owners': [{ first_name: WORD, last_name: WORD, ownership_stake: 50 }],
  'business.kyced_beneficial_owners': [
    { first_name: WORD, last_name: WORD, ownership_stake: 50, email: MAIL, phone_number: PHONE },
  ],
  'business.beneficial_owners.one.id.first_name': WORD,
  'custom.text': WORD,
};

type Vaults = Awaited<ReturnType<typeof fill>>;

async function fill(daemon: Kycloned) {
  const user = await daemon.call('POST', '/users', { body: USER });
  expect([user.status, user.body['context']]).toEqual([200, undefined]);
  const business = await daemon.call('POST', '/businesses', { body: BUSINESS });
  expect([business.status, business.body['context']]).toEqual([200, undefined]);
  return { user: user.body['id'] as string, business: business.body['id'] as string };
}

/** Makes every kind of request that carries a value in or out, granted and refused. */
async function use(daemon: Kycloned, { user, business }: Vaults): Promise<void> {
  const reason = 'a test of the canary';
  for (const [path, data] of [
    [`/users/${user}/vault`, USER],
    [`/businesses/${business}/vault`, BUSINESS],
  ] as const) {
    const read = await daemon.call('POST', `${path}/decrypt`, {
      body: { fields: Object.keys(data), reason },
    });
    expect(read.text).toContain(WORD);
    const changed = { 'custom.text': `${WORD} again`, 'custom.other': { [WORD]: [WORD] } };
    expect((await daemon.call('PATCH', path, { body: changed })).status).toBe(200);
    await daemon.call('POST', `${path}/validate`, { body: data });
    await daemon.call('POST', `${path}/integrity`, {
      body: { fields: Object.keys(data), signing_key: Buffer.from(WORD).toString('hex') },
    });
    await daemon.call('GET', `${path}?fields=custom.text`);
    // These are refused for values that fail their rule, an unknown identifier, a transform that doesn't fit, or a
    // missing reason.
    const wrong = { 'id.dob': WORD, 'id.email': WORD, 'business.tin': WORD, 'card.a.number': `${CARD}9` };
    expect((await daemon.call('PATCH', path, { body: wrong })).status).toBe(400);
    expect((await daemon.call('PATCH', path, { body: { [`id.${WORD}`]: WORD } })).status).toBe(400);
    const transforms = [`date_format('%Y','${WORD}')`];
    await daemon.call('POST', `${path}/decrypt`, { body: { fields: ['custom.text'], reason, transforms } });
    await daemon.call('POST', `${path}/decrypt`, { body: { fields: ['custom.text'] } });
  }
  await wrongRequests(daemon, user);
}

/** Sends refused requests with the value in every part. */
async function wrongRequests(daemon: Kycloned, user: string): Promise<void> {
  const headers = { 'x-external-id': `${WORD}!`, 'x-idempotency-id': WORD, 'x-sandbox-id': `${WORD} ` };
  const refused = [
    await daemon.call('POST', '/users', { headers, body: USER }),
    await daemon.call('POST', '/users', {
      headers: { 'x-service-secret-key': `sk_test_${WORD}${WORD}${WORD}` },
    }),
    await daemon.call('GET', `/users/fp_id_${WORD}`),
    await daemon.call('GET', `/users/${WORD}/vault`),
    await daemon.call('GET', `/${WORD}/${DIGITS}?ssn=${DIGITS}&name=${WORD}`),
    await daemon.call('GET', `/users?page_size=${WORD}&cursor=${WORD}`),
    await daemon.call('GET', `/users/${user}/vault?fields=${WORD},id.${WORD}`),
    await daemon.call('GET', `/users/${user}/vault`, { headers: { 'x-fp-vault-version': WORD } }),
    await daemon.call('POST', '/users', { body: `{"id.first_name": "${WORD}` }),
    await daemon.call('POST', '/users', { body: { 'id.first_name': WORD.repeat(4000) } }),
    await daemon.call('POST', '/users', { body: WORD, headers: { 'content-type': `text/${WORD}` } }),
    await daemon.call('POST', '/users', { headers: { origin: `https://${WORD}.example` } }),
    await daemon.call('POST', '/users', { headers: { host: `${WORD}.example` } }),
    await deleteFromVault(daemon, user, { fields: [`id.${WORD}`] }),
    await daemon.call('POST', '/users/search', { body: { search: WORD, pagination: { cursor: WORD } } }),
    await daemon.call('GET', `/users/${user}/duplicates?kinds=${WORD}`),
    await daemon.call('POST', `/users/${user}/label`, { body: { kind: WORD } }),
    await daemon.call('POST', `/users/${user}/tags`, { body: { tag: `${WORD}!` } }),
    await daemon.control('GET', '/_kyclone/info', { headers: { authorization: `Bearer ${WORD}` } }),
    await daemon.control('PATCH', '/_kyclone/settings', { body: { [WORD]: WORD } }),
    await daemon.control('GET', `/_kyclone/entities/${WORD}`),
  ];
  for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400);
  for (const { status } of refused) expect(status).toBeLessThan(500);
  // The user is found by an exact value and is visible in the journal.
  for (const search of [MAIL, PHONE, DIGITS]) {
    const found = await daemon.call('POST', '/users/search', { body: { search } });
    expect((found.body as { data: { id: string }[] }).data.map(({ id }) => id)).toContain(user);
  }
  await daemon.control('GET', `/_kyclone/entities?q=${DIGITS}`);
  await daemon.control('GET', `/_kyclone/entities/${user}`);
  const journal = await daemon.control('GET', '/_kyclone/requests?page_size=100');
  expect(journal.status).toBe(200);
}

test('canary: the search finds each form, so that finding nothing means something', () => {
  for (const text of [WORD, DIGITS, MAIL]) {
    for (const [at, encoding] of ['base64', 'base64', 'base64', 'hex'].entries()) {
      const bytes = Buffer.from(`${'-'.repeat(at)}${text}...`);
      const written = Buffer.from(bytes.toString(encoding as BufferEncoding));
      expect(
        FORMS.some((form) => written.includes(form)),
        `${text} ${encoding} ${at}`,
      ).toBe(true);
    }
    expect(FORMS.some((form) => Buffer.from(`x${text}x`, 'utf16le').includes(form))).toBe(true);
  }
});

test('canary: in no file while the daemon runs, after kill -9, after a restart and after a delete', async () => {
  const { home, start } = aStage();
  const first = await start();
  const vaults = await fill(first);
  await use(first, vaults);
  expect(filesBelow(home).map((file) => file.slice(home.length + 1))).toContain('data/default/vault.db-wal');
  expect(leaksBelow(home)).toEqual([]);

  await first.stop('SIGKILL');
  expect(leaksBelow(home)).toEqual([]);
  expect(first.stderr()).not.toContain(WORD);

  const second = await start();
  await use(second, vaults);
  await second.stop();
  expect(leaksBelow(home)).toEqual([]);

  const third = await start();
  for (const path of [`/users/${vaults.user}`, `/businesses/${vaults.business}`]) {
    expect((await third.call('DELETE', path)).status).toBe(200);
  }
  expect(leaksBelow(home)).toEqual([]);
  await third.stop();
  expect(leaksBelow(home)).toEqual([]);
});

test('canary: the API keys and the control token are in their own files only', async () => {
  const { home, start } = aStage();
  const daemon = await start();
  await use(daemon, await fill(daemon));
  await daemon.stop('SIGKILL');
  const secrets = {
    sandbox: daemon.keys.sandbox,
    live: daemon.keys.live,
    token: daemon.locator.control_token,
  };
  const places = Object.entries(secrets).map(([name, secret]) => [name, filesWith(home, secret)]);
  expect(places).toEqual([
    ['sandbox', ['state/default/api-keys.json']],
    ['live', ['state/default/api-keys.json']],
    ['token', ['state/default/control-token', 'state/default/daemon.json']],
  ]);
});

test('delete: the sealed values of a deleted user are gone from the files, too', async () => {
  const { home, start } = aStage();
  const daemon = await start();
  const { user } = await fill(daemon);
  await daemon.stop();
  const of = `FROM entities WHERE fp_id = '${user}'`;
  const sealed = sealedIn(
    daemon,
    `SELECT substr(sealed, 27) FROM vault_values WHERE entity = (SELECT id ${of})
       UNION ALL SELECT substr(sealed_key, 27) ${of}`,
  );
  const kept = () => countKept(home, sealed);
  expect(kept()).toBe(sealed.length);
  expect(sealed.length).toBeGreaterThan(10);
  const next = await start();
  expect((await next.call('DELETE', `/users/${user}`)).status).toBe(200);
  await until('the log is emptied', () => kept() === 0);
  await next.stop();
  expect(kept()).toBe(0);
});
