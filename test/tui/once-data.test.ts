/**
 * What `inspect --once --json` prints for each screen: the daemon's records, and no text that was worded for a window.
 */
import '../support/tier-all.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, readScreen, type ScreenData } from '../../src/tui/index.ts';
import { aFullWorld, hiddenIn, PLACES, type FullWorld, type PlaceName } from './a-full-world.ts';

let world: FullWorld;
beforeAll(async () => {
  world = await aFullWorld();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const read = async (place: PlaceName): Promise<ScreenData> =>
  dataOf(await readScreen(world.source, world.places[place], { rows: 100 }));

/** Returns the kind of each member, two levels deep, merged over all records. */
function shapeOf(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) {
    const shapes = value.map((each) => shapeOf(each, depth));
    return shapes.length === 0 ? [] : [merged(shapes)];
  }
  if (typeof value === 'object' && value !== null) {
    if (depth > 1) return 'object';
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, member]) => [name, shapeOf(member, depth + 1)]),
    );
  }
  if (typeof value === 'string') return ISO_TIME.test(value) ? 'time' : 'text';
  return value === null ? 'null' : typeof value;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

function merged(shapes: readonly unknown[]): unknown {
  const objects = shapes.filter(
    (shape): shape is Record<string, unknown> => typeof shape === 'object' && !Array.isArray(shape),
  );
  if (objects.length !== shapes.length)
    return [...new Set(shapes.map((shape) => (typeof shape === 'string' ? shape : JSON.stringify(shape))))]
      .toSorted()
      .join(' or ');
  const names = [...new Set(objects.flatMap((shape) => Object.keys(shape)))].toSorted();
  return Object.fromEntries(
    names.map((name) => [
      name,
      merged(objects.flatMap((shape) => (name in shape ? [shape[name]] : ['absent']))),
    ]),
  );
}

/** The format in which a window shows a time. */
const SHORT_TIME = /"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"/;

test.each(PLACES)('%s: records with members, every value as the daemon has it', async (place) => {
  const data = await read(place);
  expect(hiddenIn(JSON.stringify(data))).toEqual([]);
  expect(JSON.stringify(data)).not.toMatch(SHORT_TIME);
  for (const pane of data.panes) {
    expect(pane.data, pane.title).toBeDefined();
    if (Array.isArray(pane.data) && pane.total !== null && !pane.more)
      expect(pane.data, pane.title).toHaveLength(pane.total);
  }
  expect(data.panes.map(({ title, data: held }) => ({ title, data: shapeOf(held) }))).toMatchSnapshot();
});
