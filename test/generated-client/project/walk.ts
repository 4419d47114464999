/** What a team would do first with a client generated from the document, against a daemon that runs. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import {
  computeUserVaultIntegrity,
  createBankLink,
  createBankLinkIntent,
  createUser,
  createUserClientToken,
  decryptUserVault,
  decryptVault,
  getBankLink,
  getOnboarding,
  getUser,
  listBankLinkAccounts,
  listBankLinks,
  listBankLinkTransactions,
  listEvents,
  listPlaybooks,
  listUserDecisions,
  listUserRiskSignals,
  refreshBankLink,
  runUserKyc,
  sendVaultProxyRequest,
  updateUserVault,
  uploadUserVaultFile,
} from './client';
import { client } from './client/client.gen';
import type { OnboardingCompletedEvent } from './client';
import { unsetAsNull, type Document } from './unset-as-null';

const [documentPath = '', baseUrl = '', apiKey = '', controlToken = '', echoUrl = ''] = process.argv.slice(2);
const writer = unsetAsNull(JSON.parse(readFileSync(documentPath, 'utf8')) as Document);
let clientToken = '';

client.setConfig({
  baseUrl,
  fetch: writer.fetch,
  throwOnError: true,
  auth: ({ scheme, name }) => {
    if (scheme === 'basic') return `${apiKey}:`;
    if (scheme === 'bearer') return controlToken;
    return name === 'x-fp-authorization' ? clientToken : undefined;
  },
});
const throwing = { throwOnError: true } as const;

async function main(): Promise<void> {
  const fp_id = await vaultRoundTrip();
  await onboarding(fp_id);
  await proxyCall(fp_id);
  await bankLink(fp_id);
  assert.ok(writer.nulls > 5, `${writer.nulls} members were written as null`);
  console.log(`walked; ${writer.nulls} unset members were null`);
}

const PERSON = {
  'id.first_name': 'Jane',
  'id.last_name': 'Doe',
  'id.dob': '1988-12-30',
  'id.ssn9': '121121212',
  'id.address_line1': '1 Main Street',
  'id.city': 'Boston',
  'id.state': 'MA',
  'id.zip': '02117',
  'id.country': 'US',
  'id.email': 'jane@example.com',
  'id.phone_number': '+15555550100',
};

async function vaultRoundTrip(): Promise<string> {
  const { data: created } = await createUser({ ...throwing, body: PERSON });
  const fp_id = created.id;
  const path = { fp_id };
  const note = { plan: 'gold', seats: [1, 2, 3] };
  const family = { 'custom.note': note };
  await updateUserVault({ ...throwing, path, body: { 'id.middle_name': 'Quinn', ...family } });

  const fields = [...Object.keys(PERSON), 'custom.note'];
  const { data: read } = await decryptUserVault({
    ...throwing,
    path,
    body: { fields, reason: 'Shown to Jane' },
  });
  assert.deepEqual(read, { ...PERSON, 'custom.note': note });
  // @ts-expect-error a compiler finds a misspelt identifier
  const misspelt = updateUserVault({ ...throwing, path, body: { 'id.frist_name': 'Jane' } });
  await assert.rejects(misspelt, { message: /^Unknown identifier: id\.frist_name/ });

  const { data: minted } = await createUserClientToken({
    ...throwing,
    path,
    body: { scope: 'decrypt', fields: ['id.email'], decrypt_reason: 'Shown in the app' },
  });
  clientToken = minted.token;
  const { data: shown } = await decryptVault({ ...throwing, body: {} });
  assert.deepEqual(shown, { 'id.email': PERSON['id.email'] });

  const image = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], { type: 'image/png' });
  await uploadUserVaultFile({
    ...throwing,
    path: { ...path, identifier: 'document.passport.front.image' },
    body: image,
  });
  const { data: hashes } = await computeUserVaultIntegrity({
    ...throwing,
    path,
    body: { fields: ['id.zip', 'id.visa_kind'], signing_key: '00112233' },
  });
  assert.match(hashes['id.zip'] ?? '', /^[0-9a-f]{64}$/);
  assert.equal(hashes['id.visa_kind'], null);
  return fp_id;
}

async function onboarding(fp_id: string): Promise<void> {
  const path = { fp_id };
  const { data: playbooks } = await listPlaybooks({ ...throwing, query: { kind: 'kyc' } });
  const key = playbooks.data[0]?.key ?? '';
  const { data: run } = await runUserKyc({ ...throwing, path, body: { key, fixture_result: 'pass' } });
  assert.equal(run.status, 'pass');

  const { data: finished } = await getOnboarding({ ...throwing, path: { id: run.onboarding_id } });
  assert.deepEqual(
    [finished.status, finished.playbook_key, finished.onboarding_external_id],
    ['pass', key, null],
  );
  const { data: user } = await getUser({ ...throwing, path });
  assert.equal(user.status, 'pass');
  const { data: decisions } = await listUserDecisions({ ...throwing, path });
  assert.deepEqual(
    decisions.data.map(({ kind, status }) => [kind, status]),
    [['playbook_run', 'pass']],
  );
  const { data: signals } = await listUserRiskSignals({ ...throwing, path });
  assert.ok(signals.every(({ severity, scopes }) => severity && scopes.length > 0));

  const { data: events } = await listEvents({ ...throwing, query: { kind: 'onboarding.completed' } });
  const body = events.data[0]?.body as OnboardingCompletedEvent | undefined;
  assert.deepEqual(
    [body?.event_kind, body?.onboarding_id],
    ['service.onboarding.completed', run.onboarding_id],
  );
}

async function proxyCall(fp_id: string): Promise<void> {
  const { data, response } = await sendVaultProxyRequest({
    ...throwing,
    parseAs: 'json',
    headers: {
      'x-fp-proxy-target-url': echoUrl,
      'x-fp-proxy-access-reason': 'Sent to the card network',
      'x-fp-proxy-method': 'PUT',
    },
    body: { customer: `{{ ${fp_id}.id.last_name | to_uppercase }}` },
  });
  assert.equal(response.status, 200);
  assert.deepEqual(data as unknown, { method: 'PUT', body: { customer: 'DOE' } });
}

async function bankLink(fp_id: string): Promise<void> {
  const { data: intent } = await createBankLinkIntent({ ...throwing, body: { fp_id } });
  const { data: link } = await createBankLink({ ...throwing, body: { intent_token: intent.intent_token } });
  assert.deepEqual([link.fp_id, link.state, link.error_code], [fp_id, 'connected', null]);
  const path = { link_id: link.id };
  const { data: links } = await listBankLinks({ ...throwing, query: { link_ids: link.id } });
  assert.deepEqual(
    links.data.map(({ id }) => id),
    [link.id],
  );
  const { data: accounts } = await listBankLinkAccounts({ ...throwing, path });
  assert.ok(accounts.accounts.every((account) => account.link_id === link.id && account.balances?.current));
  const { data: page } = await listBankLinkTransactions({ ...throwing, path, query: { size: 5 } });
  assert.equal(page.transactions.length, 5);
  assert.ok(page.transactions.every(({ type, amount }) => type && Number(amount) >= 0));
  await refreshBankLink({ ...throwing, path, body: { products: ['transactions'] } });
  const { data: again } = await getBankLink({ ...throwing, path });
  assert.equal(again.institution_name, intent.institution);
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
