import { describe, expect, test } from 'vitest';
import { decisionListView } from '../../../../src/nouns/decisions/commands.ts';
import { outcomeListView, outcomeRuleView } from '../../../../src/nouns/outcomes/commands.ts';
import { playbookListView, playbookView } from '../../../../src/nouns/playbooks/commands.ts';
import type { AnswerOf } from '../../../../src/contract/registry.ts';
import { SCREEN_WIDTH } from '../../../../src/cli/shell/layout.ts';
import { COLOURED, PLAIN } from '../../../../src/cli/shell/output.ts';
import {
  cipReportView,
  isAccepted,
  partnerAnswerView,
  type CipReport,
} from '../../../../src/nouns/integrations/commands/cip-report.ts';
import { clockView, movedView } from '../../../../src/nouns/clock/commands/clock.ts';
import { entityView } from '../../../../src/nouns/entities/commands/view.ts';
import {
  completionNotes,
  asExpected,
  onboardingListView,
  onboardingView,
  runView,
  sessionTokenView,
  validationView,
} from '../../../../src/nouns/onboardings/commands/view.ts';
import { ownerListView } from '../../../../src/nouns/entities/commands/attributes.ts';
import { signalListView } from '../../../../src/nouns/risk-signals/commands.ts';

const AT = '2026-01-31T12:00:00.000Z';
const USER = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const ONBOARDING = 'ob_7p793EF07xKXHqAeg5VGPj';
const KEY = 'pb_test_kycdefault000000000000';
const LAST_PAGE = { next_page: null };

const aRun = {
  fp_id: USER,
  onboarding_id: ONBOARDING,
  playbook_key: KEY,
  status: 'pass' as const,
  requires_manual_review: false,
};

function expectToFit(text: string): void {
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(SCREEN_WIDTH);
}

describe('runs', () => {
  test('runView: status, review, and which onboarding it is', () => {
    expect(runView({ ...aRun, status: 'fail', requires_manual_review: true }, PLAIN)).toBe(
      `status      fail\nreview      needed\nonboarding  ${ONBOARDING}\nplaybook    ${KEY}\nuser        ${USER}`,
    );
    expect(runView({ ...aRun, fp_id: 'fp_bid_0' }, PLAIN)).toContain('business    fp_bid_0');
    expect(runView(aRun, { ...PLAIN, good: (text) => `+${text}` })).toContain('status      +pass');
  });

  test.each([
    [
      { requires_manual_review: true, status: 'fail' as const },
      `decisions create ${USER} pass --annotation TEXT`,
    ],
    [{ status: 'pending' as const }, `onboardings get ${ONBOARDING} --wait`],
    [{ status: 'incomplete' as const }, `vault upload ${USER} document.passport.front.image FILE`],
    [{ status: 'error' as const }, `users kyc ${USER} runs it again`],
    [{ status: 'error' as const, fp_id: 'fp_bid_0' }, 'businesses kyb fp_bid_0 runs it again'],
    [{ status: 'pass' as const }, `risk-signals list ${USER} --onboarding ${ONBOARDING}`],
    [{ status: 'none' as const }, `decisions list ${USER}`],
  ])('asExpected: %j', (members, command) => {
    const next = (run: Parameters<typeof asExpected.next>[0]) => asExpected.next(run, { flags: {} });
    expect(next({ ...aRun, ...members })).toContain(`kyclone ${command}`);
    expect(next({ ...aRun, ...members })).not.toContain('--live');
    expect(next({ ...aRun, ...members, playbook_key: 'pb_live_a' })).toContain(' --live');
  });

  test('onboardingListView: one line each, at 80 columns', () => {
    const item = {
      id: ONBOARDING,
      playbook_key: KEY,
      playbook_version: 1,
      status: 'fail' as const,
      requires_manual_review: true,
      timestamp: AT,
    };
    const shown = onboardingListView({ data: [item], meta: { next_page: 1 } }, PLAIN);
    expect(shown.split('\n')[1]).toBe(`${ONBOARDING}  fail, review  2026-01-31 12:00:00  pb_test_kycdefaul…`);
    expect(shown.split('\n')[2]).toBe('There is more: --page 1');
    expectToFit(shown);
    expect(onboardingListView({ data: [], meta: LAST_PAGE }, PLAIN)).toBe('No onboardings');
  });

  test('onboardingView: the ids of yours and when it was what', () => {
    const shown = onboardingView(
      {
        ...aRun,
        id: ONBOARDING,
        is_live: false,
        playbook_version: 3,
        external_id: 'customer\u001b[2J',
        onboarding_external_id: 'order-1',
        created_at: AT,
        timestamp: AT,
        completed_at: null,
      },
      PLAIN,
    );
    expect(shown).toMatch(/^external id +customer\\x1b\[2J$/m);
    expect(shown).toMatch(/^onboarding external id +order-1$/m);
    expect(shown).toMatch(/^completed +-$/m);
  });
});

describe('sessions', () => {
  test('sessionTokenView: the token and nothing else', () => {
    expect(sessionTokenView({ token: 'obtok_1', link: 'http://localhost/', expires_at: AT })).toBe('obtok_1');
  });

  test('completionNotes: a line for each who was run', () => {
    const business = { ...aRun, fp_id: 'fp_bid_0', status: 'pending' as const };
    expect(completionNotes({ user: { ...aRun, requires_manual_review: true }, business })).toEqual([
      `User ${USER}: pass, review needed (${ONBOARDING})`,
      `Business fp_bid_0: pending (${ONBOARDING})`,
    ]);
    expect(completionNotes({ user: aRun })).toHaveLength(1);
  });

  test('validationView: who signed in how, and what the runs are', () => {
    const auth = { fp_id: USER, auth_events: [{ kind: 'passkey' as const, timestamp: AT }] };
    const shown = validationView({ user_auth: auth, user: aRun }, PLAIN);
    expect(shown).toContain(`passkey, ${AT}`);
    expect(shown).toContain(`onboarding  ${ONBOARDING}`);
  });
});

test('decisionListView: an annotation is shown whole, wrapped, and cannot steer the terminal', () => {
  const annotation = `${'a reason '.repeat(20)}\u001b[2J`;
  const byHand = { kind: 'manual' as const, status: 'pass' as const, timestamp: AT, playbook_key: null };
  const byRun = { ...byHand, kind: 'playbook_run' as const, status: 'none' as const, playbook_key: KEY };
  const page = {
    data: [
      { ...byHand, annotation, reviewer_email: 'ann@example.com' },
      { ...byRun, annotation: null, reviewer_email: null },
    ],
    meta: LAST_PAGE,
  };
  const shown = decisionListView(page, PLAIN);
  expectToFit(shown);
  expect(shown.match(/a reason/g)?.length).toBeGreaterThan(10);
  expect(shown).toContain('\\x1b[2J');
  expect(shown).toContain('(ann@example.com)');
  expect(shown).toMatch(new RegExp(`none +by a run +${KEY}$`));
});

test('signalListView: severity, code and note', () => {
  const signal = {
    reason_code: 'address_input_is_po_box',
    note: 'Input address is a PO box',
    description: 'It is a box.',
    severity: 'low' as const,
    scopes: ['address'],
    timestamp: AT,
  };
  expect(signalListView([signal], PLAIN).split('\n')[1]).toBe(
    'low       address_input_is_po_box  Input address is a PO box',
  );
  expect(signalListView([], PLAIN)).toBe('No risk signals');
});

test('ownerListView: whose, and how much', () => {
  expect(ownerListView({ data: [{ fp_id: USER, ownership_stake: 60 }], meta: { next_page: 2 } }, PLAIN)).toBe(
    `USER${' '.repeat(24)}  STAKE\n${USER}  60 %\nThere is more: --page 2`,
  );
});

const playbook = {
  key: KEY,
  name: 'KYC',
  kind: 'kyc' as const,
  version: 2,
  is_live: false,
  requirements: [['id.first_name'], ['id.ssn9', 'id.ssn4']],
  has_rules: true,
  default_outcome: 'manual_review' as const,
  delay_ms: 90_000,
  session_delay_ms: 0,
  collects_owners: false,
  owners_playbook_key: null,
  documents: null,
  selfie: false,
  bank_link: false,
  created_at: AT,
} as AnswerOf<'GET /_kyclone/playbooks/{key}'>;

test('playbookView: all that it requires and asks for; a member that nobody thought of is shown, too', () => {
  const shown = playbookView({ ...playbook, remarks_of_mine: 'for the pilot', is_odd: true } as never, PLAIN);
  expect(shown).toMatch(/^requires +id\.first_name\n +one of id\.ssn9, id\.ssn4$/m);
  expect(shown).toMatch(/^delay +1m 30s$/m);
  expect(shown).toMatch(/^outcome +manual_review$/m);
  expect(shown).toMatch(/^owners playbook +-\ndocuments +-\nselfie +no$/m);
  expect(shown).toMatch(/^remarks of mine +for the pilot\nis odd +yes$/m);
  const asking = { ...playbook, documents: ['passport', 'visa'], selfie: true, bank_link: true } as const;
  const flow = playbookView({ ...asking, documents: [...asking.documents], owners_playbook_key: KEY }, PLAIN);
  expect(flow).toMatch(/^documents +passport or visa$/m);
  expect(flow).toMatch(/^selfie +yes\nbank link +yes$/m);
  expect(flow).toMatch(new RegExp(`^owners playbook +${KEY}$`, 'm'));
  expect(playbookView({ ...playbook, has_rules: false }, PLAIN)).toMatch(
    /^outcome +none, as it has no rules/m,
  );
});

test('playbookListView: the outcome with and without rules, and what a hosted flow asks for', () => {
  const asking = { ...playbook, documents: ['passport' as const], selfie: true, bank_link: true };
  const data = [playbook, { ...playbook, has_rules: false }, asking];
  const page = { data, meta: { count: 3, next: null } };
  const lines = playbookListView(page, { ...PLAIN, width: Infinity }).split('\n');
  expect(lines[1]).toBe(`${KEY}  kyc   2        manual_review  KYC`);
  expect(lines[2]).toBe(`${KEY}  kyc   2        none           KYC`);
  expect(lines[3]).toMatch(/ KYC, with passport, selfie, bank$/);
  expectToFit(playbookListView(page, PLAIN));
});

const rule = {
  id: 'rule_7p793EF07xKXHqAeg5VGPj',
  priority: 100,
  enabled: true,
  match: { external_id: 'vip-*', identifier: { name: 'id.last_name', equals: 'O***' } },
  outcome: 'manual_review' as const,
  remaining: null,
};
const stateOf = (members: Partial<Parameters<typeof outcomeRuleView>[0]>) =>
  outcomeListView({ data: [{ ...rule, ...members }], meta: { count: 1, next: null } }, PLAIN);

test.each([
  [{}, /manual_review {2}on/],
  [{ enabled: false }, /manual_review {2}off/],
  [{ times: 3, remaining: 2 }, /manual_review {2}2 of 3/],
  [{ times: 3, remaining: 0 }, /manual_review {2}spent/],
])('outcomeListView: %j', (members, state) => {
  expect(stateOf(members)).toMatch(state);
  expectToFit(stateOf(members));
});

test('outcomeListView, outcomeRuleView: whom it matches and what it does to signals', () => {
  const signals = { add: ['watchlist_hit_ofac'], remove: ['name_matches'] };
  const shown = outcomeRuleView({ ...rule, delay_ms: 7_200_000, signals }, PLAIN);
  expect(shown).toMatch(/^when +external_id=vip-\*\n +id\.last_name=O\*\*\*$/m);
  expect(shown).toMatch(/^delay +2h$/m);
  expect(shown).toMatch(/^adds signals +watchlist_hit_ofac$/m);
  expect(stateOf({ signals })).toContain('id.last_name=O***; +watchlist_hit_ofac; -name_matches');
});

describe('clock', () => {
  const state = {
    now: AT,
    real_now: '2026-01-31T10:00:00.000Z',
    mode: 'frozen' as const,
    offset_ms: 7_200_000,
  };

  test('clockView: how far it is from real time', () => {
    expect(clockView(state, PLAIN)).toBe(
      `now        ${AT}\nmode       frozen\nreal time  2026-01-31T10:00:00.000Z (2h earlier)`,
    );
    expect(clockView({ ...state, offset_ms: -90_000 }, PLAIN)).toContain('(1m 30s later)');
    expect(clockView({ ...state, mode: 'real', offset_ms: 0 }, PLAIN)).toBe(`now   ${AT}\nmode  real time`);
  });

  test.each([
    [0, 'nothing was due'],
    [1, '1 piece of due work'],
    [7, '7 pieces of due work'],
  ])('movedView: %i', (drained, text) => {
    expect(movedView({ now: AT, drained }, state, PLAIN)).toMatch(new RegExp(`^ran +${text}$`, 'm'));
  });
});

describe('cip', () => {
  const report: CipReport = {
    user_id: USER,
    result: 'consider',
    approved_at: AT,
    approved_by: 'Ann\u001b[2J',
    approved_reason: 'a reason '.repeat(20),
    check_initiated_at: AT,
    check_completed_at: null,
    kyc_completed_at: null,
    ip_address: '203.0.113.10',
    checked_data: {
      address: '1 Main St',
      customer_name: 'Jane Doe',
      date_of_birth: '1988-12-30',
      tax_id: null,
    },
    date_of_birth: 'clear',
    date_of_birth_breakdown: ['vendor_1', 'vendor_2'],
    matched_address: 'consider',
    matched_addresses: [],
    tax_id: 'clear',
    tax_id_breakdown: [],
    self_reported: {
      annual_income: null,
      citizenships: 'US, CA',
      declarations: null,
      employment_status: null,
      investment_objectives: null,
      is_employed_at_brokerage_firm: 'false',
      net_worth: null,
      occupation: null,
      us_legal_status: null,
      visa_kind: null,
    },
    watchlist: {
      adverse_media: 'clear',
      monitored_lists: 'clear',
      politically_exposed_person: 'clear',
      result: 'consider',
      sanction: 'consider',
      check_completed_at: AT,
      records: [{ reason_code: 'watchlist_hit_ofac', list: 'OFAC', matched_name: 'Jane Doe' }],
    },
  };

  test('cipReportView: everything in parts, at 80 columns, and nothing that steers the terminal', () => {
    const shown = cipReportView(report, PLAIN);
    expectToFit(shown);
    expect(shown).toContain('by Ann\\x1b[2J');
    expect(shown).toMatch(/^date of birth +clear \(vendor_1, vendor_2\)$/m);
    expect(shown).toMatch(/^citizenships +US, CA$/m);
    expect(shown).toMatch(/^sanctions +consider$/m);
    expect(shown).toMatch(/^watchlist_hit_ofac +OFAC +Jane Doe$/m);
  });

  test('partnerAnswerView: what the partner said under whatever name, and who it was', () => {
    const answer = { status_code: 200, a_word: { id: 'rec_1', note: 'a\u001b[2J' } };
    expect(partnerAnswerView(answer, false, PLAIN)).toBe(
      'status  200\nby      the partner\nid      rec_1\nnote    a\\x1b[2J',
    );
    expect(partnerAnswerView(answer, true, PLAIN)).toContain('simulated');
    expect(partnerAnswerView({ status_code: 500, a_word: ['x'] }, false, PLAIN)).toMatch(/^answer +x$/m);
  });

  test.each([
    [200, true],
    [299, true],
    [300, false],
    [422, false],
  ])('isAccepted: %i', (status_code, accepted) => {
    expect(isAccepted({ status_code })).toBe(accepted);
  });
});

test('entityView: the status in its colour, and whether a person has to review', () => {
  const user = { id: USER, external_id: null, status: 'fail' as const, requires_manual_review: true };
  expect(entityView(user, PLAIN)).toMatch(/^status +fail\nreview +needed$/m);
  expect(entityView(user, { ...COLOURED, bad: (text) => `!${text}` })).toContain('!fail');
  expect(entityView({ id: USER, external_id: null }, PLAIN)).not.toContain('review');
});
