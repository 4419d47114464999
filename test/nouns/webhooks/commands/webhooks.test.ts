import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/shell/failure.ts';
import { PLAIN } from '../../../../src/cli/shell/output.ts';
import {
  attemptsView,
  deliveryListView,
  endpointListView,
  endpointView,
  eventListView,
  listenView,
  resentView,
  triggerView,
  verdictView,
} from '../../../../src/nouns/webhooks/commands/view.ts';
import { forwardUrls } from '../../../../src/nouns/webhooks/commands/targets.ts';
import { bareKind, isWanted, parseKinds } from '../../../../src/nouns/webhooks/commands/flags.ts';
import {
  tamperingOf,
  setMembers,
  isAsExpected,
  triggerBodies,
  type Delivery,
} from '../../../../src/nouns/webhooks/commands/triggering.ts';
import { allPages } from '../../../../src/client/pages.ts';

test('bareKind: takes any prefix away, and knows nothing else', () => {
  expect(bareKind('service.onboarding.completed')).toBe('onboarding.completed');
  expect(bareKind('my.own.onboarding.completed')).toBe('onboarding.completed');
  expect(bareKind('completed')).toBeUndefined();
  expect(bareKind('xonboarding.completed')).toBeUndefined();
});

test('isWanted: a kind is the same with a prefix and without', () => {
  for (const kind of ['service.vault.updated', 'vault.updated']) {
    expect(isWanted(kind, ['vault.updated'])).toBe(true);
    expect(isWanted(kind, ['user.manual_review', 'service.vault.updated'])).toBe(true);
    expect(isWanted(kind, ['*'])).toBe(true);
    expect(isWanted(kind, ['onboarding.completed'])).toBe(false);
  }
  expect(isWanted('new.kind', ['new.kind'])).toBe(true);
});

test('parseKinds: a comma list without repeats; * is all', () => {
  expect(parseKinds(' vault.updated, vault.updated,onboarding.completed,')).toEqual([
    'vault.updated',
    'onboarding.completed',
  ]);
  expect(parseKinds('vault.updated,*')).toEqual(['*']);
});

test('parseKinds: an unknown kind is an error with a suggestion', () => {
  expect(() => parseKinds('onboarding.complete')).toThrow('did you mean onboarding.completed?');
  expect(() => parseKinds('123-45-6789')).toThrow(/^--events has a kind that doesn't exist$/);
  expect(() => parseKinds(' ,')).toThrow(UsageError);
});

test('setMembers: texts, JSON and dots that lead into objects', () => {
  expect(setMembers(['a=1', 'b:=1', 'c.d.e=x=y', 'c.d.f:=null', 'g=', 'h.toString=own'])).toEqual({
    a: '1',
    b: 1,
    c: { d: { e: 'x=y', f: null } },
    g: '',
    h: { toString: 'own' },
  });
});

test('setMembers: sets members inside a JSON object given before', () => {
  expect(setMembers(['a:={"b": 1}', 'a.c=2'])).toEqual({ a: { b: 1, c: '2' } });
});

test.each(['', 'secret-text', '=secret-text', ':=1', '.a=1', 'a..b=1', 'a.=1', `${'a.'.repeat(16)}b=1`])(
  'setMembers: refuses %j without repeating it',
  (text) => {
    expect(() => setMembers([text])).toThrow(/^--set number 1 is not of the form path=value/);
  },
);

test.each([
  '__proto__.x=1',
  '__proto__=1',
  'a.__proto__.x=1',
  'constructor.prototype.x=1',
  'a.prototype:={}',
])('setMembers: refuses the prototype in %s', (text) => {
  expect(() => setMembers([text])).toThrow(UsageError);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('setMembers: one member has one value', () => {
  for (const texts of [
    ['a=1', 'a=2'],
    ['a=1', 'a.b=2'],
    ['a.b=1', 'a=2'],
    ['a:=[1]', 'a.0=2'],
  ]) {
    expect(() => setMembers(texts)).toThrow('--set gives one member two values');
  }
});

test('setMembers: text after := that is no JSON is not repeated', () => {
  expect(() => setMembers(['a:=secret'])).toThrow(/^--set number 1 has no JSON after :=: line 1, column 1$/);
});

describe('forward targets', () => {
  test('forwardUrls: adds http to an address without a scheme', () => {
    expect(forwardUrls(['localhost:3000/hooks', 'https://x.example/'])).toEqual([
      'http://localhost:3000/hooks',
      'https://x.example/',
    ]);
  });

  test.each([[['ftp://x.example/']], [['']], [['http://']], [['localhost:3000', 'http://LOCALHOST:3000/']]])(
    'forwardUrls: refuses %j',
    (texts) => {
      expect(() => forwardUrls(texts)).toThrow(UsageError);
    },
  );

  test('allPages: follows each cursor to the last page', async () => {
    const asked: unknown[] = [];
    const entries = await allPages((page) => {
      asked.push(page);
      const isFirst = page.cursor === undefined;
      return Promise.resolve({ data: isFirst ? [1, 2] : [3], meta: { next: isFirst ? 'c' : null } });
    });
    expect(entries).toEqual([1, 2, 3]);
    expect(asked).toEqual([
      { cursor: undefined, page_size: 100 },
      { cursor: 'c', page_size: 100 },
    ]);
  });
});

const attempted = {
  attempt: 1,
  at: '2026-01-31T12:00:01.000Z',
  response_status: 200,
  error: null,
  ms: 11.6,
  hint: null,
};
const sent = { ...attempted, webhook_timestamp: 1_769_860_801, webhook_signature: 'v1,b25l v1,dHdv' };
const delivery: Delivery = {
  ...attempted,
  id: 'dlv_1',
  event_id: 'evt_1',
  webhook_id: 'whk_1',
  fp_id: 'fp_id_1',
  external_id: null,
  kind: 'service.onboarding.completed',
  url: 'http://localhost:3000/hooks',
  next_at: null,
  status: 'delivered',
  created_at: '2026-01-31T12:00:00.000Z',
  attempts: [sent],
};
const NOTHING_SENT = { webhook_timestamp: null, webhook_signature: null };
const event = {
  id: 'evt_1',
  kind: 'service.onboarding.completed',
  at: '2026-01-31T12:00:00.000Z',
  body: { fp_id: 'fp_id_1', status: 'pass' },
};
const onePage = <T>(...data: T[]) => ({ data, meta: { count: data.length, next: null } });

describe('trigger', () => {
  test('triggerBodies: one call per kind, with the status if the kind has one', () => {
    const kinds = ['onboarding.status_changed', 'vault.updated', 'service.onboarding.completed'];
    expect(triggerBodies(kinds, { status: 'fail' })).toEqual([
      { kind: 'onboarding.status_changed', body: { new_status: 'fail' } },
      { kind: 'vault.updated' },
      { kind: 'service.onboarding.completed', body: { status: 'fail' } },
    ]);
  });

  test('triggerBodies: a set member overrides the status', () => {
    const body = { status: 'x' };
    const [sent] = triggerBodies(['onboarding.completed'], { status: 'fail', body });
    expect(sent?.body).toEqual(body);
  });

  test('triggerBodies: a status for kinds that have none is a mistake', () => {
    expect(() => triggerBodies(['vault.updated'], { status: 'pass' })).toThrow(UsageError);
  });

  test('tamperingOf: has the requested members; a dropped and a bad attempt exclude each other', () => {
    const none = { duplicate: false, shuffle: false, 'bad-signature': false, 'drop-first': false };
    expect(tamperingOf(none)).toEqual({});
    expect(tamperingOf({ ...none, duplicate: true, 'bad-signature': true, skew: -1 })).toEqual({
      duplicate: true,
      bad_signature: true,
      skew_ms: -1,
    });
    expect(() => tamperingOf({ ...none, 'drop-first': true, skew: 1 })).toThrow(UsageError);
  });

  const attempt = (number: number, response_status: number | null) => ({
    attempts: [{ ...attempted, ...NOTHING_SENT, attempt: number, response_status }],
  });

  test.each([
    ['a delivered one', 204, {}, true],
    ['a redirect', 302, {}, false],
    ['no answer', null, {}, false],
    ['a bad signature that is refused', 401, { bad_signature: true }, true],
    ['a bad signature that is accepted', 200, { bad_signature: true }, false],
    ['a bad signature that nobody heard', null, { bad_signature: true }, false],
    ['an old time that is refused', 400, { skew_ms: -600_000 }, true],
    ['an old time that is accepted', 200, { skew_ms: -600_000 }, false],
    ['a time a little off that is accepted', 200, { skew_ms: 60_000 }, true],
    ['one that was to be lost', null, { drop_first: true }, true],
    ['one that was to be lost and came', 200, { drop_first: true }, false],
  ])('isAsExpected: %s', (_, status, tampering, expected) => {
    expect(isAsExpected(attempt(1, status), tampering)).toBe(expected);
  });

  test('isAsExpected: the first attempt counts, and there must be one', () => {
    expect(isAsExpected(attempt(2, 200), {})).toBe(false);
    expect(isAsExpected({ attempts: [] }, {})).toBe(false);
  });

  test('triggerView: events, first attempts and their results', () => {
    const result = { events: [event], deliveries: [delivery], as_expected: true };
    expect(triggerView(result, PLAIN).split('\n')).toEqual([
      '2026-01-31T12:00:00.000Z  service.onboarding.completed  fp_id_1  pass  evt_1',
      '→ http://localhost:3000/hooks  200  12 ms',
      'Every first attempt had the expected result',
    ]);
    expect(triggerView({ ...result, deliveries: [{ id: 'dlv_1' }], as_expected: null }, PLAIN)).not.toContain(
      '→',
    );
    const late = { ...result, deliveries: [{ ...delivery, attempts: [] }], as_expected: false };
    expect(triggerView(late, PLAIN)).toContain('no attempt was made in time\nSome first attempts');
    const refused = { ...delivery, attempts: [{ ...sent, hint: 'look there' }] };
    expect(triggerView({ ...result, deliveries: [refused] }, PLAIN)).toContain('\n   Hint: look there\n');
  });
});

describe('views', () => {
  const endpoint = {
    id: 'whk_1',
    url: 'http://localhost:3000/hooks',
    kinds: ['*'],
    tenant: 'default',
    environment: 'sandbox' as const,
    enabled: false,
    created_at: '2026-01-31T12:00:00.000Z',
    disabled_reason: 'it failed',
  };

  test('endpointView: shows its secret and the reason for its disabling when they are known', () => {
    expect(endpointView({ ...endpoint, secret: 'whsec_x' }, PLAIN)).toMatch(/secret +whsec_x/);
    expect(endpointView(endpoint, PLAIN)).not.toContain('secret');
    expect(endpointView(endpoint, PLAIN)).toMatch(/disabled because +it failed/);
    expect(endpointView({ ...endpoint, disabled_reason: null }, PLAIN)).not.toContain('because');
  });

  test('endpointListView, eventListView: one row each, the ids of an event under it', () => {
    expect(endpointListView(onePage(endpoint), PLAIN)).toContain(
      'whk_1  no       http://localhost:3000/hooks *',
    );
    expect(eventListView(onePage(event), PLAIN).split('\n')).toEqual([
      'AT (UTC)             KIND                          STATUS',
      expect.stringMatching(/^[-0-9]{10} [:0-9]{8} {2}service\.onboarding\.completed {2}pass$/),
      `    ${event.id} fp_id_1`,
    ]);
    expect(eventListView(onePage(), PLAIN)).toBe('No events');
  });

  test('webhook lists: fit 80 columns with ids and times as they are', () => {
    const id = (prefix: string) => prefix + 'x'.repeat(22);
    const long = {
      ...delivery,
      id: id('dlv_'),
      event_id: id('evt_'),
      webhook_id: id('whk_'),
      kind: 'onboarding.status_changed',
      response_status: null,
      error: 'connection refused (ECONNREFUSED)',
      next_at: delivery.at,
      masked_name: 'Q*** O***',
    };
    const body = { ...event.body, fp_id: id('fp_bid_') };
    const business = { ...event, id: id('evt_'), body, masked_name: 'A*** Bank and C***' };
    const views = [
      deliveryListView(onePage(long), PLAIN),
      eventListView(onePage(business), PLAIN),
      endpointListView(onePage({ ...endpoint, id: id('whk_') }), PLAIN),
    ];
    for (const line of views.join('\n').split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(views[0]?.replace(/\s+/g, ' ')).toContain('Q*** O***');
    expect(views[1]?.replace(/\s+/g, ' ')).toContain('A*** Bank and C***');
  });

  test('deliveryListView: the answer, or why there was none', () => {
    expect(deliveryListView(onePage(delivery), PLAIN)).toContain('delivered  200');
    const failed = { ...delivery, response_status: null, error: 'timed out' };
    expect(deliveryListView(onePage(failed), PLAIN)).toContain('timed out');
  });

  test('attemptsView: all attempts, with a hint where one failed, and the headers that were sent', () => {
    const attempts = [
      { ...sent, at: 'T1', response_status: 500, hint: 'look there' },
      { ...attempted, ...NOTHING_SENT, attempt: 2, at: 'T2', response_status: null, error: 'refused' },
    ];
    const pending = { ...delivery, status: 'pending' as const, next_at: 'T3', attempts };
    expect(attemptsView([pending], PLAIN).split('\n')).toEqual([
      'dlv_1  service.onboarding.completed  evt_1  failing (1 of 8), next attempt T3',
      '  to whk_1 http://localhost:3000/hooks',
      '  T1  500  12 ms',
      '   Hint: look there',
      '   webhook-timestamp: 1769860801',
      '   webhook-signature: v1,b25l v1,dHdv',
      '  T2  refused  12 ms  attempt 2',
    ]);
    expect(attemptsView([], PLAIN)).toBe('No deliveries');
  });

  test('resentView: says when no endpoint takes it', () => {
    expect(resentView({ data: [] }, PLAIN)).toBe('No endpoint takes it; nothing was sent');
    expect(resentView({ data: [delivery] }, PLAIN)).toContain('dlv_1');
  });

  test('verdictView: the message, the signed members, and the hint', () => {
    const verdict = {
      valid: false,
      reason: 'timestamp_too_old' as const,
      message: 'Signed 400 s before',
      hint: 'a hint',
      webhook_id: 'evt_1',
      signed_at: 'T',
    };
    expect(verdictView(verdict, PLAIN).split('\n')).toEqual([
      'Signed 400 s before',
      'id         evt_1',
      'signed at  T',
      'Hint: a hint',
    ]);
  });

  test('listenView: a line for each thing', () => {
    const at = 'T';
    const target = {
      webhook_id: 'whk_1',
      url: 'http://localhost:3000/hooks',
      secret: 'whsec_x',
      is_new: true,
      enabled: true,
      kinds: ['*'],
    };
    const ready = { type: 'ready' as const, at, base_url: 'http://localhost:1', targets: [target] };
    expect(listenView(ready, PLAIN).split('\n')).toEqual([
      'Ready, forwarding the events of http://localhost:1 to',
      '  http://localhost:3000/hooks  whk_1  registered until this run ends',
      '  secret whsec_x',
    ]);
    const before = { ...target, secret: null, is_new: false, enabled: false, kinds: ['vault.updated'] };
    expect(listenView({ ...ready, targets: [before] }, PLAIN)).toMatch(
      /registered before; this run does not remove it\n {2}takes vault\.updated only\n {2}is disabled: .* whk_1 --enable/,
    );
    expect(listenView({ ...ready, targets: [] }, PLAIN)).toBe(
      'Ready, watching the events of http://localhost:1',
    );
    expect(listenView({ type: 'event', is_past: true, ...event }, PLAIN)).toContain('evt_1  (before)');
    const failed = { ...delivery, attempt: 2, response_status: 500, hint: 'look', next_at: 'T2' };
    expect(listenView({ type: 'delivery', ...failed }, PLAIN).split('\n')).toEqual([
      '2026-01-31T12:00:01.000Z  → http://localhost:3000/hooks  500  12 ms  attempt 2',
      '   Hint: look',
      '   next attempt T2',
    ]);
    expect(listenView({ type: 'lost', at, reason: 'gone', seconds: 30 }, PLAIN)).toBe(
      'Lost the daemon (gone); looking for it for 30 s',
    );
    expect(listenView({ type: 'restored', at, base_url: 'u', registered: ['whk_2'] }, PLAIN)).toBe(
      'Endpoints registered again at u: whk_2',
    );
    const end = { at, reason: 'lost' as const, events: 1, attempts: 2, left: ['whk_1'] };
    expect(listenView({ type: 'end', ...end }, PLAIN)).toBe(
      'Ended: the daemon was not found again; 1 event, 2 attempts\nNot removed: whk_1',
    );
  });

  test('listenView: nothing that a sender made up reaches the terminal as it is', () => {
    const evil = { ...event, kind: '\u001b[2J', body: { fp_id: '\u001b]0;x\u0007', status: '\u202e' } };
    expect(listenView({ type: 'event', is_past: false, ...evil }, PLAIN)).not.toMatch(
      /[\u0000-\u001f\u202e]/,
    );
  });
});
