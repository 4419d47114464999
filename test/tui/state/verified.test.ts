/** The result of a verification stays on the screen until escape clears it, and shows no value. */
import { expect, test } from 'vitest';
import { drawState } from '../../support/frames.tsx';
import { aRow, Inspector } from './states.ts';

const PLACE = (fp_id: string) => ({ screen: 'entity', params: { fp_id, kind: 'user' } }) as const;
const FIRST = 'fp_id_00001';

function onEntity(size = { columns: 80, rows: 24 }): Inspector {
  const field = { kind: 'field', fp_id: FIRST, owner: 'user', identifier: 'id.dob', type: 'text' } as const;
  const all = [aRow(1, { key: 'dob', subject: field }), aRow(2), aRow(3)];
  const it = new Inspector(all, { start: PLACE(FIRST) }, size);
  return it.answer();
}

function verified(it: Inspector, identifier: string, text: string): Inspector {
  it.send({ type: 'verified', fp_id: FIRST, fields: [{ identifier, tone: 'bad', text }] });
  return it.answer();
}

const textOf = (it: Inspector) => drawState(it.state).text;

test('verify: the result stays over further keys, and escape clears it before it leads back', () => {
  const it = verified(onEntity(), 'id.dob', 'does NOT match');
  expect(textOf(it)).toContain("Caller's id.dob: does NOT match (escape clears this)");
  it.press('j', 'tab', 'k', 's').answer();
  expect(textOf(it)).toContain("Caller's id.dob: does NOT match");
  it.press('escape');
  expect(textOf(it)).not.toContain('does NOT match');
  expect(it.state.views).toHaveLength(1);
});

test('verify: a new verification replaces the results of the one before', () => {
  const it = onEntity();
  verified(it, 'id.dob', 'does NOT match');
  verified(it, 'id.email', 'matches');
  const lines = drawState(it.state).lines.filter((line) => line.startsWith("Caller's"));
  expect(lines).toEqual(["Caller's id.email: matches (escape clears this)"]);
});

test('verify: nothing of one caller is on the page of another', () => {
  const it = verified(onEntity(), 'id.dob', 'matches');
  it.send({ type: 'opened', place: PLACE('fp_id_00002') });
  expect(textOf(it)).not.toContain("Caller's");
  it.answer().press('escape').answer();
  expect(textOf(it)).not.toContain("Caller's");
});

test.each([
  { columns: 80, rows: 24 },
  { columns: 40, rows: 14 },
  { columns: 200, rows: 60 },
])('verify: at %j the results fit, with the foot below them', (size) => {
  const it = onEntity(size);
  const fields = ['id.dob', 'id.email', 'id.ssn9', 'id.city', 'id.zip'].map((identifier, at) => {
    if (at < 2) return { identifier, tone: 'good' as const, text: 'matches' };
    if (at < 4) return { identifier, tone: 'bad' as const, text: 'does NOT match' };
    return { identifier, tone: 'warn' as const, text: "can't be read" };
  });
  it.send({ type: 'verified', fp_id: FIRST, fields }).answer();
  const { lines } = drawState(it.state);
  expect(lines.length).toBeLessThanOrEqual(size.rows - 1);
  expect(lines.at(-1)).toMatch(/q leave/);
  const shown = lines.filter((line) => line.startsWith("Caller's"));
  expect(shown[0]).toMatch(/^Caller's id\.ssn9, id\.city: does NOT/);
  expect(shown.slice(1)).toEqual(
    size.rows < 24 ? [] : ["Caller's id.zip: can't be read", "Caller's id.dob, id.email: matches"],
  );
});
