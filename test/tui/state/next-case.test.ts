/** `n` goes through the current review queue and skips users who were decided about in the meantime. */
import { expect, test } from 'vitest';
import type { Row } from '../../../src/tui/state/model.ts';
import { currentView } from '../../../src/tui/state/reading.ts';
import { pressAll } from '../../../src/tui/typing.ts';
import { aRow, Inspector } from './states.ts';

const waiting = (serial: number): Row => {
  const row = aRow(serial);
  return { ...row, opens: { screen: 'entity', params: { kind: 'user', fp_id: row.key } } };
};
const IDS = [0, 1, 2, 3].map((serial) => aRow(serial).key);

/** Opens the second case of a queue of four. */
function atSecond(): Inspector {
  const it = new Inspector([0, 1, 2, 3].map(waiting), { start: { screen: 'reviews', params: {} } });
  it.connect();
  return it.answer().press('j', 'enter');
}

const opened = (it: Inspector): string | undefined => currentView(it.state).place.params['fp_id'];

test('n: a case that was decided about is not offered again, and the one after it is next', () => {
  const it = atSecond();
  expect(opened(it)).toBe(IDS[1]);
  it.pending = [];
  it.all = it.all.filter(({ key }) => key !== IDS[1]);
  it.send({ type: 'happened', types: new Set(['onboarding']) }).answer();

  const seen = [0, 1, 2].map(() => opened(it.press('n')));
  expect(seen).toEqual([IDS[2], IDS[3], IDS[0]]);
  expect(opened(it.press('n'))).toBe(IDS[2]);
});

test('n: a case that began to wait in between comes too', () => {
  const it = atSecond();
  it.pending = [];
  it.all = [...it.all, waiting(4)];
  it.send({ type: 'happened', types: new Set(['onboarding']) }).answer();
  expect([0, 1, 2].map(() => opened(it.press('n')))).toEqual([IDS[2], IDS[3], aRow(4).key]);
});

test('n: what happened elsewhere does not ask for the queue', () => {
  const it = atSecond();
  it.asked.length = 0;
  it.send({ type: 'happened', types: new Set(['clock']) });
  expect(it.loads().filter(({ place }) => place.screen === 'reviews')).toEqual([]);
});

test('n: in a burst the keys after it are for the next case, and for none without one', () => {
  const press = (it: Inspector, ...keys: string[]) =>
    pressAll({ getState: () => it.state, dispatch: (message) => void it.send(message) }, keys, () => 0);
  const it = atSecond();
  press(it, 'n', 'd');
  expect(it.state.overlay).toMatchObject({ kind: 'form', subject: { fp_id: IDS[2] } });

  const last = atSecond();
  last.pending = [];
  last.all = [waiting(1)];
  last.send({ type: 'happened', types: new Set(['onboarding']) }).answer();
  press(last, 'n', 'd');
  expect([opened(last), last.state.overlay]).toEqual([IDS[1], undefined]);
});
