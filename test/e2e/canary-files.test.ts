/**
 * The canary in files, in their names and types, in device attributes, and in tokens. No file that the daemon wrote and
 * no journal entry holds it. The reason of a decryption is the only text of a request that is stored unsealed.
 */
import { expect, test } from 'vitest';
import type { Kycloned } from '../support/kycloned.ts';
import { aUser, listAll } from '../support/kycloned-calls.ts';
import { aStage, CARD, DIGITS, filesBelow, filesWith, leaksBelow, leaksIn, MAIL, WORD } from './canary.ts';
import {
  aToken,
  BACK,
  decrypted,
  drafts,
  expectSame,
  filesFolder,
  FRONT,
  downloadWith,
  transfer,
  upload,
  uploadUnderWay,
  type Target,
} from './file-calls.ts';
import '../support/tier-all.ts';

/** Repeats the words over several chunks, so that chunk borders cut only a few of them. */
const CONTENT = Buffer.from(`${WORD} ${DIGITS} ${CARD} ${MAIL}\n`.repeat(3_000));
const REASON = 'the reason of a decryption, which is kept';

interface Person {
  readonly id: string;
  /** Every client token that was minted. */
  readonly tokens: string[];
}

/** Builds a multipart form of one part with these header lines. */
function formOf(...lines: string[]): { type: string; body: Buffer } {
  const start = ['--edge', ...lines, '', ''].join('\r\n');
  return {
    type: 'multipart/form-data; boundary=edge',
    body: Buffer.concat([Buffer.from(start), CONTENT, Buffer.from('\r\n--edge--\r\n')]),
  };
}

const DISPOSITION = `Content-Disposition: form-data; name="upload_file"; filename="${WORD}.png"`;

/** Stores files under every kind of identifier that takes one, by every kind of upload. */
async function fill(daemon: Kycloned): Promise<Person> {
  const id = await aUser(daemon, { 'id.first_name': WORD });
  const named = { type: `image/png; name="${WORD}.png"` };
  const form = formOf(DISPOSITION, `Content-Type: image/png; name="${WORD}.png"`);
  const fields = [FRONT, BACK, 'custom.contract', 'document.custom.lease'];
  const minted = await daemon.call('POST', `/users/${id}/client_token`, {
    body: { scope: 'vault_and_decrypt', fields, decrypt_reason: REASON },
  });
  const token = minted.body['token'] as string;
  const stored = [
    await upload(daemon, { fp_id: id, identifier: FRONT }, CONTENT, named),
    await upload(daemon, { fp_id: id, identifier: BACK, token }, form.body, form),
    await upload(daemon, { fp_id: id, identifier: 'custom.contract', token }, CONTENT, named),
    await upload(daemon, { fp_id: id, identifier: 'document.custom.lease' }, form.body, form),
    await upload(daemon, { fp_id: id, identifier: 'id.ssn9' }, Buffer.from(DIGITS), named),
    await upload(daemon, { fp_id: id, identifier: 'id.last_name' }, Buffer.from(WORD), {
      type: `text/plain; name="${WORD}"`,
    }),
  ];
  for (const { status, bytes } of stored) expect(status, bytes.toString('utf8')).toBe(200);
  const attributes = { device_id: WORD, cookie_id: `${WORD} ${DIGITS}`, ip_address: '2001:db8::9035:1726:4' };
  const set = await daemon.control('PATCH', `/_kyclone/entities/${id}`, { body: attributes });
  expect(set.status, set.text).toBe(200);
  return { id, tokens: [token] };
}

/** Reads by every endpoint, with the key and with new tokens. */
async function read(daemon: Kycloned, { id, tokens }: Person): Promise<void> {
  const fields = [FRONT, BACK, 'custom.contract', 'document.custom.lease'];
  for (const bytes of await decrypted(daemon, id, ...fields)) expectSame(bytes, CONTENT);
  const type = 'document.id_card.front.mime_type';
  const typed = { fields: [type], reason: REASON };
  const answer = await daemon.call('POST', `/users/${id}/vault/decrypt`, { body: typed });
  expect(answer.body).toEqual({ [type]: `image/png; name="${WORD}.png"` });
  for (const identifier of fields) {
    const token = await aToken(daemon, { fp_id: id, identifier });
    tokens.push(token);
    expectSame((await downloadWith(daemon, token)).bytes, CONTENT);
  }
  const body = { fields, signing_key: Buffer.from(WORD).toString('hex') };
  expect((await daemon.call('POST', `/users/${id}/vault/integrity`, { body })).status).toBe(200);
  expect((await daemon.call('GET', `/users/${id}/duplicates`)).status).toBe(200);
  expect((await daemon.call('GET', `/users/${id}/documents`)).status).toBe(200);
  expect((await daemon.control('GET', `/_kyclone/entities/${id}`)).status).toBe(200);
}

async function use(daemon: Kycloned, person: Person): Promise<void> {
  await read(daemon, person);
  expectRefused(await refusedValues(daemon, person.id));
  expectRefused(await refusedNames(daemon, person.id));
}

function expectRefused(answers: readonly { readonly status: number }[]): void {
  for (const { status } of answers) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
}

function uploadsTo(daemon: Kycloned, id: string) {
  const front = { fp_id: id, identifier: FRONT };
  return {
    front,
    send: (changes: Partial<Target>, body: Uint8Array, type?: string) =>
      upload(daemon, { ...front, ...changes }, body, type === undefined ? {} : { type }),
    sendForm: (...lines: string[]) => {
      const form = formOf(...lines);
      return upload(daemon, front, form.body, form);
    },
    mint: (body: object) => daemon.call('POST', `/users/${id}/client_token`, { body }),
    setAttributes: (body: object) => daemon.control('PATCH', `/_kyclone/entities/${id}`, { body }),
  };
}

/** Sends refused requests with the words as values, in place of a file, a text, an attribute, a reason or a token. */
async function refusedValues(daemon: Kycloned, id: string): Promise<{ status: number }[]> {
  const { front, send, sendForm, mint, setAttributes } = uploadsTo(daemon, id);
  const writer = await aToken(daemon, front, 'vault');
  return [
    await send({}, CONTENT, `text/plain; name="${WORD}"`),
    await send({}, CONTENT, `${WORD} ${DIGITS}`),
    await send({}, CONTENT, `multipart/form-data; boundary=${WORD}`),
    await send({ identifier: 'id.dob' }, Buffer.from(WORD)),
    await send({ identifier: 'id.first_name' }, CONTENT),
    await send({ identifier: BACK, token: writer }, CONTENT),
    await send({ token: `cttok_${WORD}` }, CONTENT),
    await sendForm(`Content-Disposition: form-data; name="${WORD}"; filename="${WORD}.png"`),
    await sendForm(DISPOSITION, `Content-Type: ${WORD} ${WORD}`),
    await sendForm(DISPOSITION, `Content-Transfer-Encoding: ${WORD}`),
    await transfer(`${daemon.url}/users/vault/decrypt/${WORD}?reason=${WORD}`, 'GET'),
    await downloadWith(daemon, writer),
    await mint({ scope: WORD, fields: [FRONT], ttl: WORD }),
    await setAttributes({ device_id: [WORD] }),
    await setAttributes({ cookie_id: WORD, ip_address: WORD }),
  ];
}

/** Sends refused requests with the words as names, which a response may repeat. */
async function refusedNames(daemon: Kycloned, id: string): Promise<{ status: number }[]> {
  const { send, mint, setAttributes } = uploadsTo(daemon, id);
  return [
    await send({}, CONTENT, `text/${WORD}`),
    await send({ identifier: `id.${WORD}` }, CONTENT),
    await send({ fp_id: `fp_id_${WORD}` }, CONTENT),
    await mint({ scope: 'vault', fields: [`id.${WORD}`] }),
    await mint({ scope: 'vault', fields: [FRONT], [WORD]: WORD, ttl: 1 }),
    await setAttributes({ [WORD]: WORD }),
  ];
}

/** Returns the whole journal, each entry as the list and the single view show it. */
async function journalOf(daemon: Kycloned): Promise<string> {
  const pages: string[] = [];
  const listed = await listAll<{ id: string }>(async (query) => {
    const page = await daemon.control('GET', `/_kyclone/requests${query}`);
    pages.push(page.text);
    return page;
  });
  for (const { id } of listed) pages.push((await daemon.control('GET', `/_kyclone/requests/${id}`)).text);
  return pages.join('\n');
}

test('canary: of files, attributes and tokens, in no file while the daemon runs, when killed, and after', async () => {
  const { home, start } = aStage();
  const first = await start();
  const person = await fill(first);
  await use(first, person);
  expect(filesBelow(filesFolder(first))).toHaveLength(4);
  expect(leaksBelow(home)).toEqual([]);
  // Half of a file is on disk when the daemon is killed.
  await uploadUnderWay(first, { fp_id: person.id, identifier: 'custom.half' }, CONTENT);
  await first.stop('SIGKILL');
  expect(drafts(filesFolder(first))).toHaveLength(1);
  expect(leaksBelow(home)).toEqual([]);
  for (const token of person.tokens) expect(filesWith(home, token.slice('cttok_'.length))).toEqual([]);
  expect(filesWith(home, REASON), 'which a token carries').not.toEqual([]);
  expect(leaksIn('stderr', Buffer.from(first.stderr()))).toEqual([]);

  const second = await start();
  await use(second, person);
  expect((await second.call('DELETE', `/users/${person.id}`)).status).toBe(200);
  expect(leaksBelow(home)).toEqual([]);
  await second.stop();
  expect(leaksBelow(home)).toEqual([]);
});

test('canary: of files, attributes and tokens, not in the journal', async () => {
  const { start } = aStage();
  const daemon = await start();
  const person = await fill(daemon);
  await read(daemon, person);
  expectRefused(await refusedValues(daemon, person.id));
  const journal = await journalOf(daemon);
  expect(journal).toContain('<image/png ');
  expect(leaksIn('journal', Buffer.from(journal))).toEqual([]);
  for (const token of person.tokens) expect(journal).not.toContain(token);
});

test('canary: an ephemeral instance writes it to no file either', async () => {
  const { home, start } = aStage('--ephemeral');
  const daemon = await start();
  await use(daemon, await fill(daemon));
  expect(filesBelow(home).filter((file) => file.includes('/files/'))).toHaveLength(4);
  expect(leaksBelow(home)).toEqual([]);
  await daemon.stop('SIGKILL');
  expect(leaksBelow(home)).toEqual([]);
});
