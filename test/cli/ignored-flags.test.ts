/** The built program on command lines with a flag that would be ignored beside the others: it is refused by name. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokenBody } from '../../src/nouns/client-tokens/commands/client-tokens.ts';
import { runInProcess } from '../support/cli-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const USER = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const BUSINESS = 'fp_bid_7p793EF07xKXHqAeg5VGPj';
const LINK = 'link_7p793EF07xKXHqAeg5VGPj';

const WITH_VALUE: Readonly<Record<string, string>> = { 'owners-playbook': 'pb_2', document: 'visa' };

const run = async (line: string) => {
  using home = tempDir();
  writeFileSync(join(home.path, 'statement.ofx'), 'OFXHEADER:100');
  return await runInProcess(line.split(' '), { home: home.path });
};

test.each([
  ['console --revoke --as Bo', '--as', '--revoke'],
  ['console --revoke --print', '--print', '--revoke'],
  ['fake user --create --as-fixture', '--as-fixture', '--create'],
  [`inspect --user ${USER} --screen users`, '--screen', '--user'],
  ['inspect --once --theme dark', '--theme', '--once'],
  ['inspect --once --linear', '--linear', '--once'],
  ['users list --review --external-id order-1', '--external-id', '--review'],
  ['users search - --exact --tenant acme', '--tenant', '--exact'],
  [`users kyc ${USER} --wait --link-on-step-up`, '--wait', '--link-on-step-up'],
  [`onboardings token ${USER} --kind user --ttl 1h --minutes 60`, '--ttl', '--minutes'],
  ['vault download --token @token --live', '--live', '--token'],
  ...['rules', 'collects-owners', 'owners-playbook', 'document', 'selfie', 'bank-link'].map((name) => [
    `playbooks update pb_1 --no-${name} --${name} ${WITH_VALUE[name] ?? ''}`.trim(),
    `--${name}`,
    `--no-${name}`,
  ]),
  ['playbooks update pb_1 --require id.dob --require-nothing', '--require', '--require-nothing'],
  ['outcomes update rule_1 --delay 1s --no-delay', '--delay', '--no-delay'],
  ['outcomes update rule_1 --times 3 --any-times', '--times', '--any-times'],
  ...['keys', 'outcomes', 'proxy configs', 'webhooks'].map((noun) => [
    `${noun} update id_1 --enable --disable`,
    '--enable',
    '--disable',
  ]),
])('%s: flags that exclude each other are named, without a value', async (line, one, other) => {
  const { code, stderr } = await run(line);
  expect(stderr).toContain(`Error: ${one} and ${other} exclude each other\n`);
  expect(code).toBe(2);
});

test.each([
  [`bank links refresh ${LINK} --timeout 5s`, '--timeout needs --wait'],
  [`users kyc ${USER} --timeout 5s`, '--timeout needs --wait'],
  ['onboardings get ob_7p793EF07xKXHqAeg5VGPj --timeout 5s', '--timeout needs --wait'],
  [`businesses owners ${BUSINESS} --reason moved`, '--reason needs --add or --remove'],
  [`users label ${USER} --reason moved`, '--reason needs LABEL'],
  [`businesses tag ${BUSINESS} --reason moved`, '--reason needs TAGS or --remove'],
  ['fake business --live', '--live needs --create'],
  ['fixtures run --force', '--force needs --env-out'],
  ['record stop --force', '--force needs --out'],
  [`vault download ${USER} id.dob --force`, '--force needs --out'],
  ['exec --kill-after 1s -- true', '--kill-after needs --timeout'],
  ['start -d --with-access', '--with-access needs --import'],
  ['webhooks listen --secret whsec_MTIz', '--secret needs --forward-to'],
  ['faults create --latency 1ms --seed monday', '--seed needs --probability'],
  ['faults create --latency 1ms --code oops', '--code has no effect'],
  ['faults create --abort connection --status 503', '--status has no effect'],
  ['faults create --preset lost-connection --status 503', '--status has no effect'],
  ['completion print zsh --shell bash', 'Only one shell can be given: SHELL or --shell'],
  ['env --shell fish --field KYCLONE_API_KEY', '--shell is the syntax of the text, and excludes --json'],
  ['keyring slots create recovery --path new.key', '--path is for a key_file slot'],
  ['keyring slots create recovery --passphrase -', '--passphrase is for a passphrase slot'],
  [
    `bank import ${LINK} statement.ofx --decimal-comma`,
    '--decimal-comma is for CSV, and FILE is read as OFX',
  ],
  [`bank import ${LINK} statement.ofx --columns date=Datum`, '--columns is for CSV'],
  [`bank import ${LINK} statement.ofx --date-format DD.MM.YYYY`, '--date-format is for CSV'],
  ['start -d --ephemeral --key-file vault.key', '--key-file is for an instance on disk'],
  ['start -d --ephemeral --data-dir vault', '--data-dir is for an instance on disk'],
  ['proxy configs update proxy_id_x --reason moved --clear reason', '--clear reason removes what another'],
  ['restart --ephemeral --require-keychain', '--require-keychain is for an instance on disk'],
])('%s: a flag that would be ignored is refused', async (line, message) => {
  const { code, stdout, stderr } = await run(line);
  expect(stderr).toContain(message);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('users token: --reason is refused with a scope that allows no decryption', () => {
  expect(() => tokenBody({ scope: 'vault', reason: 'moved' })).toThrow('--scope vault allows none');
  const flags = { field: ['id.dob'], ttl: 90_000, reason: 'moved' };
  expect(tokenBody({ scope: 'decrypt', ...flags })).toStrictEqual({
    scope: 'decrypt',
    fields: ['id.dob'],
    ttl: 90,
    decrypt_reason: 'moved',
  });
});

test('a flag with a default, and one with its companion, are not refused', async () => {
  for (const line of [
    `bank links refresh ${LINK} --wait --timeout 5s`,
    `businesses owners ${BUSINESS} --remove ${USER} --reason moved`,
    `users label ${USER} active --reason moved`,
    `users kyc ${USER}`,
    'faults create --preset flaky --seed monday',
    'faults create --abort body --code oops',
  ])
    expect(await run(line), line).toMatchObject({ code: 5 });
});

test.each([
  ['webhooks verify --secret whsec_MTIz body.json', 'webhooks verify takes none'],
  ['webhooks verify --body @body.json headers.txt', 'webhooks verify takes none'],
  ['stop --instance=staging --instance staging more', '--instance'],
  [`users get ${USER} --live more`, 'users get takes FP_ID'],
])('%s: an argument too many is called one', async (line, takes) => {
  const { code, stderr } = await run(line);
  expect(stderr).toContain(takes);
  expect(code).toBe(2);
});

test('a text without quotes is called one, a word after a secret or a file is not', async () => {
  const status = await run('status --as Jane Doe');
  expect(status.stderr).toContain('--as takes one text: put several words in quotes');
  const verify = await run('webhooks verify --secret whsec_MTIz body.json');
  expect(verify.stderr).not.toContain('several words in quotes');
});
