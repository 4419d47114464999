import { expect, test } from 'vitest';
import { actions } from '../../../src/tui/actions/registry.ts';
import type { ActionName, Subject } from '../../../src/tui/state/model.ts';
import { reasonProblem } from '../../../src/tui/actions/subjects.ts';
import { BUSINESS, EVENT, FIELD, fieldOf, problemOf, rowOf, USER } from './a-source.ts';

const FILE = fieldOf('fp_id_1', 'document.passport.front.image', 'file');
const INSTANCE: Subject = { kind: 'instance', instance: 'default', environment: 'sandbox' };
const thing = (what: 'fault' | 'snapshot' | 'webhook' | 'outcome' | 'key'): Subject => ({
  kind: 'thing',
  what,
  id: `${what}_1`,
  name: `the ${what}`,
  details: 'what it is',
  isEnabled: true,
});
const OWNER: Subject = { kind: 'business', fp_id: 'fp_bid_1' };
const PAIR: Subject = { kind: 'pair', fp_id: 'fp_id_1', owner: 'user', other: 'fp_id_2' };
const TWIN: Subject = { kind: 'user', fp_id: 'fp_id_2' };
const names = Object.keys(actions) as ActionName[];

test.each<[ActionName, Subject | undefined, Subject | undefined, Subject | undefined]>([
  ['reveal', FIELD, USER, FIELD],
  ['reveal', FILE, USER, FILE],
  ['reveal', USER, USER, undefined],
  ['reveal', undefined, USER, undefined],
  ['save', FILE, USER, FILE],
  ['save', FIELD, USER, undefined],
  ['resend', EVENT, undefined, EVENT],
  ['resend', undefined, EVENT, EVENT],
  ['resend', USER, undefined, undefined],
  ['trigger', USER, BUSINESS, USER],
  ['trigger', undefined, BUSINESS, BUSINESS],
  ['trigger', EVENT, undefined, undefined],
  ['trigger', EVENT, USER, USER],
  ['onboard', FIELD, undefined, OWNER],
  ['decide', FIELD, USER, OWNER],
  ['decide', BUSINESS, undefined, BUSINESS],
  ['decide', undefined, undefined, undefined],
  ['decide', PAIR, USER, TWIN],
  ['label', PAIR, USER, TWIN],
  ['tag', PAIR, USER, TWIN],
  ['note', PAIR, USER, TWIN],
  ['ask', PAIR, USER, TWIN],
  ['verify', PAIR, USER, TWIN],
  ['label', USER, OWNER, USER],
  ['compare', PAIR, USER, PAIR],
  ['verify', FILE, OWNER, undefined],
])('%s: on a row about %j of a screen about %j it is about %j', (name, row, screen, subject) => {
  expect(actions[name].subject(rowOf(row), screen)).toEqual(subject);
  if (row === undefined) expect(actions[name].subject(undefined, screen)).toEqual(subject);
});

test('actions: each has a label and words for where it does not apply', () => {
  for (const name of names) {
    const { label, needs } = actions[name];
    expect(label).toMatch(/^[A-Z][a-z]/);
    expect(needs).toMatch(/^Select an? .* first$/);
  }
});

test('actions: whatever sends something says in sentences what will happen; revealing says it in its form', () => {
  const subjects: Record<ActionName, Subject> = {
    reveal: FIELD,
    save: FILE,
    browse: FILE,
    resend: EVENT,
    trigger: USER,
    onboard: USER,
    decide: USER,
    verify: FIELD,
    label: USER,
    claim: USER,
    tag: USER,
    note: USER,
    ask: USER,
    review: {
      kind: 'hit',
      fp_id: 'fp_id_1',
      owner: 'user',
      onboarding_id: 'ob_1',
      reason_code: 'watchlist_hit_ofac',
      found: 'Aldermoor Shipping, 68 %, Harbour Sanctions Register',
    },
    remove: { kind: 'tag', fp_id: 'fp_id_1', owner: 'user', id: 'tag_1', text: 'wave 2' },
    clock_advance: INSTANCE,
    clock_freeze: INSTANCE,
    clock_resume: INSTANCE,
    fault_create: INSTANCE,
    fault_delete: thing('fault'),
    snapshot_create: INSTANCE,
    snapshot_load: thing('snapshot'),
    snapshot_delete: thing('snapshot'),
    webhook_create: INSTANCE,
    webhook_switch: thing('webhook'),
    webhook_test: thing('webhook'),
    webhook_delete: thing('webhook'),
    outcome_create: INSTANCE,
    outcome_delete: thing('outcome'),
    key_create: INSTANCE,
    key_roll: thing('key'),
    key_delete: thing('key'),
    compare: { kind: 'pair', fp_id: 'fp_id_1', owner: 'user', other: 'fp_id_2' },
  };
  for (const name of names) {
    const action = actions[name];
    const lines = action.confirm(subjects[name], {});
    if (name === 'reveal' || name === 'browse') {
      expect(lines).toEqual([]);
      expect(action.fields?.(FIELD)[0]?.hint).toMatch(/API decrypts.*access log/);
    } else if (name === 'verify') {
      expect(lines).toEqual([]);
      expect(
        action
          .fields?.(FIELD)
          .map(({ hint }) => hint)
          .join(' '),
      ).toMatch(/Only match or no match is shown.*access log/);
    } else if (name === 'compare') {
      // This action only opens a screen, which explains itself.
      expect([lines, action.fields]).toEqual([[], undefined]);
    } else expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^\S.*\.$/);
    // The first line names what the action changes.
    const about = subjects[name];
    if (lines.length > 0 && about.kind === 'thing') expect(lines[0]).toContain(about.name);
    if (lines.length > 0 && about.kind === 'instance') expect(lines[0]).toContain('instance default');
  }
});

test.each([
  ['reveal', 'reason', 1000],
  ['save', 'reason', 1000],
  ['review', 'reason', 1000],
  ['note', 'text', 4000],
  ['decide', 'annotation', 2000],
] as const)('%s: its %s has the length that the API takes, counted in characters', (name, field, most) => {
  expect(problemOf(name, field, '😀'.repeat(most))).toBeUndefined();
  expect(problemOf(name, field, 'a'.repeat(most + 1))).toContain(String(most));
});

test('save: a folder or a name with control characters is no file to save to', () => {
  for (const text of ['photos/', 'a\u0007b', 'a\nb']) expect(problemOf('save', 'path', text)).toBeDefined();
  expect(problemOf('save', 'path', './my photo.png')).toBeUndefined();
});

test.each([
  ['30.12.1988', 'a date'],
  ['12/30/88', 'a date'],
  [' 30 Dec 1988 ', 'a date'],
  ['(404) 555-0177', 'a phone number'],
  ['+49 30 1234567', 'a phone number'],
  ['123-45-6789', 'a tax number'],
  ['jane@example.com', 'an e-mail address'],
])('reason: %s is a value of a person, and refused without being repeated', (text, what) => {
  const problem = reasonProblem(text);
  expect(problem).toContain(what);
  expect(problem).not.toContain(text.trim());
});

test.each(['call 4711', 'ticket 2026-11-28', '4711', 'asked on 30 Dec 1988', 'mail to jane@example.com'])(
  'reason: %s is one',
  (text) => {
    expect(reasonProblem(text)).toBeUndefined();
  },
);
