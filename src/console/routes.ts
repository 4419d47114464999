/**
 * The address of each place: `#/users`, `#/users/fp_id_…/signals`, `#/run?fp_id=…&onboarding_id=…`. It names ids and
 * panes; what was searched for is never part of it, since addresses are kept and pasted.
 */
import { isBusinessId } from '../kernel/ids/ids.ts';
import { placeOfId } from '../nouns/entities/screen/place.ts';
import { screens } from '../tui/screens/registry.ts';
import type { ScreenName, ScreenPlace } from '../tui/state/model.ts';
import { isSamePlace } from '../tui/state/pointing.ts';

export interface Route {
  readonly place: ScreenPlace;
  /** The index of the pane; undefined for the first. */
  readonly pane?: number | undefined;
}

/** The lists of things. Those that an id names are addressed under the name of theirs. */
const LIST_OF: Partial<Readonly<Record<ScreenName, ScreenName>>> = {
  event: 'events',
  request: 'requests',
  delivery: 'deliveries',
  bank: 'banks',
};

/** The list that a place leads back to. */
export function listOf({ screen, params }: ScreenPlace): ScreenPlace {
  const ofEntities = params['kind'] === 'business' ? 'businesses' : 'users';
  return { screen: LIST_OF[screen] ?? ofEntities, params: {} };
}

/** What the screen of one thing is about. Without it, the daemon would list what is about others. */
const NEEDS: Partial<Readonly<Record<ScreenName, readonly string[]>>> = {
  entity: ['fp_id', 'kind'],
  event: ['event_id'],
  request: ['request_id'],
  bank: ['link_id', 'fp_id'],
  delivery: ['delivery_id', 'event_id'],
  comparison: ['fp_id', 'other'],
  run: ['fp_id', 'onboarding_id'],
};

export function hashOf({ place, pane }: Route): string {
  const title = pane === undefined || pane === 0 ? undefined : screens[place.screen].panes[pane]?.title;
  const tail = title === undefined ? '' : `/${slugOf(title)}`;
  const ids = Object.values(place.params);
  const id = ids.find((each) => {
    const opened = placeOfId(each);
    return opened !== undefined && isSamePlace(opened, place);
  });
  if (id !== undefined) {
    const list = LIST_OF[place.screen] ?? (isBusinessId(id) ? 'businesses' : 'users');
    return `#/${list}/${encodeURIComponent(id)}${tail}`;
  }
  const query = new URLSearchParams(place.params).toString();
  return `#/${place.screen}${tail}${query === '' ? '' : `?${query}`}`;
}

/** The address of the request builder; `?operation=POST /users` chooses an endpoint. */
export const BUILDER = '#/request';

export function isBuilder(hash: string): boolean {
  return hash === BUILDER || hash.startsWith(`${BUILDER}?operation=`);
}

/** The endpoint that an address of the builder names. */
export function operationIn(hash: string): string | undefined {
  return new URLSearchParams(hash.split('?', 2)[1] ?? '').get('operation') ?? undefined;
}

/** Undefined for an address that leads to no screen. */
export function routeOf(hash: string): Route | undefined {
  if (isBuilder(hash)) return undefined;
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const [, first = '', second = '', third] = path.split('/').map(decoded);
  const thing = second === '' ? undefined : placeOfId(second);
  if (thing !== undefined) return withPane(thing, third);
  if (!Object.hasOwn(screens, first)) return undefined;
  const screen = first as ScreenName;
  const params = Object.fromEntries(new URLSearchParams(query));
  const isWhole = (NEEDS[screen] ?? []).every((name) => params[name]);
  return isWhole ? withPane({ screen, params }, second || undefined) : undefined;
}

function withPane(place: ScreenPlace, slug: string | undefined): Route {
  const at = screens[place.screen].panes.findIndex(({ title }) => slugOf(title) === slug);
  return at < 0 ? { place } : { place, pane: at };
}

function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
