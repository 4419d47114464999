import { describe, expect, test } from 'vitest';
import { ruleMatch, ruleSettings } from '../../../../src/nouns/outcomes/commands.ts';
import { playbookSettings } from '../../../../src/nouns/playbooks/commands.ts';
import type { Client } from '../../../../src/client/client.ts';
import { partnerCredentials, partnerWords } from '../../../../src/nouns/integrations/commands/cip-report.ts';
import { CliError, UsageError } from '../../../../src/cli/shell/failure.ts';
import { terminalInput } from '../../../../src/cli/shell/input.ts';
import { unexpected, waitForOutcome, runBody } from '../../../../src/nouns/onboardings/commands/runs.ts';
import { ownerFlag } from '../../../../src/nouns/entities/commands/attributes.ts';
import {
  completionBody,
  requireOneStdin,
  sessionBody,
} from '../../../../src/nouns/onboardings/commands/sessions.ts';
import { chosenEntries } from '../../../../src/nouns/risk-signals/commands.ts';

type Parse = (text: string, context: unknown, options: { name: string }) => Promise<unknown>;
const parsed = async (flag: { parse: unknown }, name: string, text: string) =>
  await (flag.parse as Parse)(text, {}, { name });
const input = terminalInput(false);

describe('runs', () => {
  const none = { 'no-reonboard': false, live: false };

  test('runBody: the first playbook of the environment unless one is named; what was not given is not sent', () => {
    expect(runBody('kyc', none)).toStrictEqual({ key: 'pb_test_kycdefault000000000000' });
    expect(runBody('kyb', { ...none, live: true }).key).toBe('pb_live_kybdefault000000000000');
    expect(
      runBody('kyc', {
        playbook: 'pb_test_a',
        result: 'fail',
        'no-reonboard': true,
        'external-id': 'order-1',
        live: false,
      }),
    ).toStrictEqual({
      key: 'pb_test_a',
      fixture_result: 'fail',
      allow_reonboard: false,
      onboarding_external_id: 'order-1',
    });
  });

  test.each([
    ['fail', false, undefined, undefined],
    ['fail', false, 'fail', undefined],
    ['fail', false, 'pass', 'Expected pass; it is fail'],
    ['fail', true, 'pass', 'Expected pass; it is fail, to be reviewed'],
    ['fail', true, 'manual_review', undefined],
    ['fail', false, 'manual_review', 'Expected manual_review; it is fail'],
    ['pending', false, 'pending', undefined],
  ] as const)(
    'unexpected: %s, review %s, expected %s: %s',
    (status, requires_manual_review, expected, note) => {
      expect(unexpected({ status, requires_manual_review }, expected)).toBe(note);
    },
  );

  /** Returns a client that responds with these statuses one after the other, then repeats the last one. */
  function clientOf(...statuses: string[]): { client: Client; asked: () => number } {
    let asked = 0;
    const call = () =>
      Promise.resolve({ id: 'ob_1', status: statuses[Math.min(asked++, statuses.length - 1)] });
    return { client: { call } as unknown as Client, asked: () => asked };
  }

  test.each([
    [['pending', 'incomplete', 'fail'], 60, 3],
    // What is terminal is asked for once, even without any time.
    [['none'], 0, 1],
  ])('waitForOutcome: of %j it asks until it is terminal', async (statuses, timeoutMs, times) => {
    const { client, asked } = clientOf(...statuses);
    expect(await waitForOutcome(client, 'ob_1', timeoutMs)).toMatchObject({ status: statuses.at(-1) });
    expect(asked()).toBe(times);
  });

  test('waitForOutcome: 124 when the time is up, and which onboarding it was', async () => {
    const failure = await waitForOutcome(clientOf('pending').client, 'ob_1', 0).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(CliError);
    expect(failure).toMatchObject({ exitCode: 124, code: 'timed_out', context: { onboarding_id: 'ob_1' } });
  });
});

describe('sessions', () => {
  const none = { 'allow-reonboard': false, live: false };

  test('sessionBody: a business is onboarded onto the kyb playbook', () => {
    expect(sessionBody(none, undefined)).toStrictEqual({ key: 'pb_test_kycdefault000000000000' });
    expect(sessionBody({ ...none, 'business-external-id': 'acme-1' }, { 'id.city': 'Boston' })).toStrictEqual(
      {
        key: 'pb_test_kybdefault000000000000',
        business_external_id: 'acme-1',
        bootstrap_data: { 'id.city': 'Boston' },
      },
    );
  });

  test('completionBody: business.* is the business’s, the rest the user’s', () => {
    expect(
      completionBody('t', { 'id.city': 'A', 'business.city': 'B', 'custom.x': 1 }, { auth_kind: 'email' }),
    ).toStrictEqual({
      token: 't',
      data: { 'id.city': 'A', 'custom.x': 1 },
      business_data: { 'business.city': 'B' },
      auth_kind: 'email',
    });
    expect(completionBody('t', undefined, {})).toStrictEqual({ token: 't' });
  });

  test('requireOneStdin: the token or a value, not both', () => {
    expect(() => requireOneStdin('-', ['id.city=-'])).toThrow(UsageError);
    expect(() => requireOneStdin('-', [], '-')).toThrow(UsageError);
    expect(() => requireOneStdin('-', ['id.city=x'], '@f')).not.toThrow();
    expect(() => requireOneStdin('t', ['id.city=-'])).not.toThrow();
  });
});

describe('playbooks', () => {
  test.each<[Parameters<typeof playbookSettings>[0], object]>([
    [{ 'require-nothing': false, rules: false, 'no-rules': false, 'no-document': false, selfie: false }, {}],
    [
      { require: ['id.dob', 'id.ssn9, id.ssn4'], 'no-rules': true, 'collects-owners': true, delay: 0 },
      {
        requirements: [['id.dob'], ['id.ssn9', 'id.ssn4']],
        has_rules: false,
        delay_ms: 0,
        collects_owners: true,
      },
    ],
    [
      { 'require-nothing': true, rules: true },
      { requirements: [], has_rules: true },
    ],
    [
      {
        document: ['passport', 'visa', 'passport'],
        selfie: true,
        'bank-link': true,
        'owners-playbook': 'pb_test_kyc',
      },
      { documents: ['passport', 'visa'], selfie: true, bank_link: true, owners_playbook_key: 'pb_test_kyc' },
    ],
    [
      { 'no-document': true, 'no-selfie': true, 'no-owners-playbook': true },
      { documents: null, selfie: false, owners_playbook_key: null },
    ],
  ])('playbookSettings: of %j are sent %j', (flags, body) => {
    expect(playbookSettings(flags)).toStrictEqual(body);
  });

  test('playbookSettings: refuses an empty identifier', () => {
    expect(() => playbookSettings({ require: ['id.dob,'] })).toThrow(UsageError);
  });
});

test('ruleMatch: by the names of the API; undefined without a flag that says whom', async () => {
  expect(await ruleMatch({ priority: 1 }, input)).toBeUndefined();
  const flags = {
    'fp-id': 'fp_id_*',
    'sandbox-id': 'a',
    playbook: 'pb',
    kind: 'kyb',
    where: 'id.city=Bos=ton',
  } as const;
  expect(await ruleMatch(flags, input)).toStrictEqual({
    fp_id: 'fp_id_*',
    sandbox_id: 'a',
    playbook_key: 'pb',
    kind: 'kyb',
    identifier: { name: 'id.city', equals: 'Bos=ton' },
  });
});

test.each(['219-09-9999', '=219-09-9999', 'id.ssn9:=219099999'])(
  'ruleMatch: refuses --where %s without repeating it',
  async (where) => {
    const failure = await ruleMatch({ where }, input).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as Error).message).not.toContain('9999');
  },
);

test('ruleSettings: what was not given is not sent', () => {
  expect(ruleSettings({})).toStrictEqual({});
  expect(ruleSettings({ delay: 0, times: 1, priority: 0, 'add-signal': ['a'] })).toStrictEqual({
    delay_ms: 0,
    times: 1,
    priority: 0,
    signals: { add: ['a'] },
  });
});

test('ownerFlag: an id and a stake', async () => {
  const owner = { fp_id: 'fp_id_1', ownership_stake: 60 };
  expect(await parsed(ownerFlag({}), 'add', 'fp_id_1=60')).toEqual(owner);
  expect(await parsed(ownerFlag({}), 'add', 'fp_id_1=60%')).toEqual(owner);
  for (const text of ['fp_id_1', 'fp_id_1=', 'fp_id_1=-1', 'fp_id_1=1.5', 'fp_id_1=101', '=60'])
    await expect(parsed(ownerFlag({}), 'add', text)).rejects.toThrow(
      /^--add takes the id or external id of a user and a stake from 0 to 100/,
    );
});

test('chosenEntries: by severity, and by the words that its words begin with', () => {
  const entry = (reason_code: string, severity: 'low' | 'high') => ({
    reason_code,
    severity,
    note: 'A Note',
    description: '',
    scopes: ['name'],
  });
  const entries = [entry('address_is_po_box', 'low'), entry('disposable_mailbox', 'high')];
  const codes = (choice: Parameters<typeof chosenEntries>[1]) =>
    chosenEntries(entries, choice).map(({ reason_code: code }) => code);
  expect(codes({})).toHaveLength(2);
  expect(codes({ search: 'PO box' })).toEqual(['address_is_po_box']);
  expect(codes({ search: 'not name', severity: 'high' })).toEqual(['disposable_mailbox']);
});

const nothing = { partnerApiKey: undefined, partnerApiSecret: undefined };

test('partnerCredentials: the environment, where no flag says otherwise', async () => {
  const environment = { partnerApiKey: 'key', partnerApiSecret: 'secret' };
  expect(await partnerCredentials({}, environment, input)).toEqual({ api_key: 'key', api_secret: 'secret' });
  const stdin = { ...input, secret: () => Promise.resolve('other') };
  expect(await partnerCredentials({ 'api-key': '-' }, environment, stdin)).toEqual({
    api_key: 'other',
    api_secret: 'secret',
  });
});

test('partnerCredentials: a literal one is refused and not repeated', async () => {
  const failure = await partnerCredentials({ 'api-key': 'hunter22' }, nothing, input).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(UsageError);
  expect((failure as UsageError).message).not.toContain('hunter22');
  expect((failure as UsageError).hint).toContain('KYCLONE_PARTNER_API_KEY');
});

test('partnerCredentials: stdin is read once; without a terminal there is nobody to ask', async () => {
  await expect(partnerCredentials({ 'api-key': '-', 'api-secret': '-' }, nothing, input)).rejects.toThrow(
    UsageError,
  );
  await expect(partnerCredentials({}, nothing, input)).rejects.toMatchObject({ exitCode: 3 });
});

test('partnerWords: those of the instance, or the first ones without a control token', async () => {
  const vocabulary = { partner_a: 'alpha', partner_b: 'beta' };
  const client = { call: () => Promise.resolve({ vocabulary }) } as unknown as Client;
  expect(await partnerWords(client, 'token')).toMatchObject(vocabulary);
  expect(await partnerWords(client, undefined)).toEqual({ partner_a: 'partner_a', partner_b: 'partner_b' });
});
