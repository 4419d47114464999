/** The addresses that were visited, as the browser keeps them. A pane replaces the address of its screen. */
import { hashOf, isBuilder, routeOf, type Route } from './routes.ts';

interface Stop {
  readonly view: number;
  /** How many views were open. */
  readonly depth: number;
}

export interface Addresses {
  readonly read: () => Route | undefined;
  readonly write: (route: Route, stop: Stop) => void;
}

export function createHistory(): Addresses {
  let last: Stop | undefined;
  return {
    read: () => routeOf(location.hash),
    write(route, stop) {
      const hash = hashOf(route);
      const before = last;
      last = stop;
      if (before === undefined && isBuilder(location.hash)) return;
      // The address may say the same in other words.
      const shown = routeOf(location.hash);
      const isShown = shown !== undefined && hashOf(shown) === hash;
      if (isShown) return;
      if (before === undefined || before.view === stop.view) history.replaceState(null, '', hash);
      else if (before.depth > stop.depth) history.back();
      else history.pushState(null, '', hash);
      // The browser reports no address that a page sets.
      window.dispatchEvent(new Event('hashchange'));
    },
  };
}
