/**
 * Switches from one environment or instance to another: no state carries over, and no request reaches the wrong one.
 */
import { expect, test } from 'vitest';
import { currentView } from '../../../src/tui/state/reading.ts';
import { Inspector } from './states.ts';

const LIVE = { instance: 'default', isByAddress: false, environment: 'live' } as const;

test('switch: the palette names the other environment and the other instances', () => {
  const it = Inspector.loaded(1, { instances: ['default', 'staging'] })
    .press(':')
    .type('live env')
    .press('enter');
  expect(it.asked.at(-1)).toEqual({ type: 'switch', target: { environment: 'live' } });
  expect(it.state.busy).toBe('Going to default, live');
  const other = Inspector.loaded(1, { instances: ['default', 'staging'] })
    .press(':')
    .type('staging')
    .press('enter');
  expect(other.asked.at(-1)).toEqual({
    type: 'switch',
    target: { instance: 'staging', environment: 'sandbox' },
  });
});

test('switch: no row, view, mark, form or value of the one before is left, and late answers find nothing', () => {
  const it = Inspector.loaded(3).press('space', 'j', 'enter').answer().press('escape').answer().press('R');
  // This load looks like the first load of the new list; only the number of its view differs.
  const [late] = it.loads();
  if (late === undefined) throw new Error('nothing is on its way');
  const page = it.pageFor(late);
  it.pending = [];
  it.send({ type: 'switched', setup: LIVE });
  const { state } = it;
  expect(state.setup).toMatchObject(LIVE);
  expect([state.views.length, state.ahead, state.overlay, state.revealed]).toEqual([
    1,
    [],
    undefined,
    undefined,
  ]);
  expect(it.pane.rows).toEqual([]);
  expect(it.pane.marked.size).toBe(0);
  expect(state.operator).toBe('Ada');
  it.send(page);
  expect(it.pane.rows).toEqual([]);
  expect(currentView(it.state).place.screen).toBe('users');
});

test('switch: while an action is under way nothing is gone to, and while it is gone nothing is begun', () => {
  const it = Inspector.loaded(2);
  it.state = { ...it.state, busy: 'Tag' };
  it.press(':').type('live env').press('enter');
  expect(it.asked.some(({ type }) => type === 'switch')).toBe(false);
  expect(it.state.notice?.text).toBe('Still running: Tag');
  const going = Inspector.loaded(2).press(':').type('live env').press('enter').press('T');
  expect(going.state.overlay).toBeUndefined();
  expect(going.state.notice?.text).toMatch(/^Still running: Going to/);
});

test('switch: the palette has an instance that started after the inspector', () => {
  const it = Inspector.loaded(1, { instances: ['default'] }).press(':');
  expect(it.asked.at(-1)).toEqual({ type: 'find_instances' });
  it.send({ type: 'instances', names: ['default', 'late'] })
    .type('instance late')
    .press('enter');
  expect(it.asked.at(-1)).toMatchObject({ type: 'switch', target: { instance: 'late' } });
});

test.each([
  'instance nowhere',
  'label fraud',
  'reload now',
  'freeze everything',
  'mark stroman',
  'fault rule x',
])('palette: %s is an error and no search, since it begins with a command', (text) => {
  const it = Inspector.loaded(1, { instances: ['default'] });
  const asked = it.asked.filter(({ type }) => type === 'load').length;
  it.press(':').type(text).press('enter');
  expect(it.asked.filter(({ type }) => type === 'load')).toHaveLength(asked);
  expect(it.state.notice).toMatchObject({ tone: 'bad' });
  expect(it.state.notice?.text).toContain(`find ${text}`);
});

test('palette: a name is searched for', () => {
  const it = Inspector.loaded(1).press(':').type('jane stroman').press('enter');
  expect(it.asked.at(-1)).toMatchObject({ type: 'load', filter: 'jane stroman' });
});
