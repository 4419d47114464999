import { describe, expect, test } from 'vitest';
import { hashOf, routeOf } from '../../src/console/routes.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import type { ScreenDefinition } from '../../src/tui/screens/definition.ts';
import type { ScreenName } from '../../src/tui/state/model.ts';

const USER = 'fp_id_0123456789abcdefABCDEF';
const PARAMS: Partial<Readonly<Record<ScreenName, Readonly<Record<string, string>>>>> = {
  entity: { fp_id: USER, kind: 'user' },
  event: { event_id: 'evt_0123456789abcdefABCDEF' },
  request: { request_id: 'req_0123456789abcdefABCDEF' },
  bank: { link_id: 'link_0123456789abcdefABCDEF', fp_id: USER },
  delivery: { delivery_id: 'dlv_0123456789abcdefABCDEF', event_id: 'evt_0123456789abcdefABCDEF' },
  comparison: { fp_id: USER, other: 'fp_id_zzz3456789abcdefABCDEF' },
  run: { fp_id: USER, onboarding_id: 'ob_0123456789abcdefABCDEF' },
};

const SCREENS = Object.entries(screens) as [ScreenName, ScreenDefinition][];

describe('addresses of the console', () => {
  test.each(SCREENS.flatMap(([name, { panes }]) => panes.map((_, pane) => ({ name, pane }))))(
    'hashOf: $name, pane $pane leads back to the same place',
    ({ name, pane }) => {
      const place = { screen: name, params: PARAMS[name] ?? {} };

      const route = routeOf(hashOf({ place, pane }));

      expect(route?.place).toEqual(place);
      expect(route?.pane ?? 0).toBe(pane);
    },
  );

  test('hashOf: a person is addressed below the list, with the pane by name', () => {
    const place = { screen: 'entity', params: { fp_id: USER, kind: 'user' } } as const;
    const pane = screens.entity.panes.findIndex(({ title }) => title === 'Signals');

    expect(hashOf({ place, pane })).toBe(`#/users/${USER}/signals`);
  });

  test('hashOf: no text that was searched for is part of an address', () => {
    expect(hashOf({ place: { screen: 'found', params: {} } })).toBe('#/found');
  });

  test.each(['', '#', '#/', '#/nowhere', '#/constructor', '#/%', '#code=abc', '#//users'])(
    'routeOf: %j leads nowhere',
    (hash) => {
      expect(routeOf(hash)).toBeUndefined();
    },
  );

  test.each(
    SCREENS.filter(([, { palette }]) => palette === undefined).flatMap(([name]) =>
      [undefined, ...Object.keys(PARAMS[name] ?? {})].map((left) => ({ name, left })),
    ),
  )('routeOf: an address of $name leads nowhere without $left', ({ name, left }) => {
    const params = Object.entries(PARAMS[name] ?? {}).filter(([each]) => left !== undefined && each !== left);

    expect(routeOf(`#/${name}?${new URLSearchParams(params).toString()}`)).toBeUndefined();
  });

  test('routeOf: an unknown pane leads to the first', () => {
    expect(routeOf(`#/users/${USER}/nothing`)?.pane).toBeUndefined();
  });
});
