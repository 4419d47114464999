/**
 * Every screen with every pane, filled by the real service. The tests walk through them with their keys in the smallest
 * of the usual windows, and look at each pane and at its last row in the larger ones.
 */
import '../support/tier-all.ts';
import { describe, expect, test } from 'vitest';
import { screens } from '../../src/tui/screens/registry.ts';
import type { Size } from '../../src/tui/state/model.ts';
import { expectFits, openApp, type OpenApp } from '../support/frames.tsx';
import { useShared } from '../support/use-shared.ts';
import { aFullWorld, hiddenIn, PLACES, type PlaceName } from './a-full-world.ts';

type Walk = (app: OpenApp, pane: PaneWalk) => Promise<void>;

const SIZES: readonly (Size & { walk: Walk })[] = [
  { columns: 80, rows: 24, walk: walkPane },
  { columns: 120, rows: 40, walk: lookAtPane },
  { columns: 200, rows: 60, walk: lookAtPane },
];

interface PaneWalk {
  readonly title: string;
  /** A part of the data, as the first frame with data shows it. */
  readonly shows: RegExp;
  /** The title of the screen that Enter opens on the first row, and a text on that screen. */
  readonly opens?: readonly [title: RegExp, shows: RegExp];
  /** True when the daemon runs the filter, after Enter. */
  readonly isSearched?: boolean;
  /** A filter, and the number of rows that it leaves. */
  readonly filter?: readonly [text: string, left: number];
}

const ID = '\\w{22}';
const USER_LINK = [new RegExp(`› User fp_id_${ID}$`), /name +/] as const;
const REQUEST = [new RegExp(`› Request req_${ID}$`), /asked +\w+ \//] as const;

const ENTITY_OF_USER: readonly PaneWalk[] = [
  { title: 'Overview', shows: /name +Q\*\*\* O\*\*\*[^]*status +fail/, filter: ['tags', 1] },
  { title: 'Vault', shows: /id\.ssn9 +\*\*\*9856/, filter: ['ssn9', 1] },
  { title: 'Documents', shows: /passport +front +document\.passpo/ },
  { title: 'Onboardings', shows: /(?:ob_|…)\w+.* fail/ },
  { title: 'Decisions', shows: /fail +by hand +ada@desk\.example +not her/, filter: ['run', 1] },
  { title: 'Signals', shows: /high +watchlist_hit_ofac/, filter: ['high', 2] },
  {
    title: 'Duplicates',
    shows: new RegExp(`(?:fp_id_|…)\\w+ +\\S+(?: \\S+)? +\\w+ +ssn9`),
    opens: USER_LINK,
  },
  { title: 'Labels', shows: /label +offboard_fraud[^]*tag +wave 2/, filter: ['wave', 1] },
  { title: 'Ownership', shows: /fp_bid_\w+ +60 %/ },
  {
    title: 'Banks',
    shows: /First Example Ba.+ connected/,
    opens: [new RegExp(`› Bank link link_${ID}$`), /Everyday Checking/],
  },
  { title: 'Tokens', shows: /tok_\w+ +decrypt +valid/ },
  { title: 'Access', shows: /proxy +granted[^]*ticket 4711/, opens: REQUEST, filter: ['ticket', 1] },
  { title: 'Timeline', isSearched: true, shows: /Read: |: event /, filter: ['bank', 1] },
  { title: 'Notes', shows: /Ada +asks for her card/ },
];
const ENTITY_OF_BUSINESS: readonly PaneWalk[] = [
  { title: 'Overview', shows: /tax number +\*\*\*1935/ },
  { title: 'Vault', shows: /business\.tin +\*\*\*1935/, filter: ['owners', 1] },
  { title: 'Documents', shows: /No documents/ },
  { title: 'Onboardings', shows: /(?:ob_|…)\w+ +\w/ },
  { title: 'Decisions', shows: /by a run/ },
  { title: 'Signals', shows: /high +\w+/ },
  { title: 'Duplicates', shows: /No user has the same data/ },
  { title: 'Labels', shows: /No label and no tags/ },
  { title: 'Ownership', shows: /60 % +Q\*\*\* O\*\*\*/, opens: USER_LINK },
  { title: 'Banks', shows: /No bank links/ },
  { title: 'Tokens', shows: /No client tokens/ },
  { title: 'Access', shows: /run +granted[^]*\n.*owner +granted/ },
  { title: 'Timeline', isSearched: true, shows: /Onboarding ended: fail/ },
  { title: 'Notes', shows: /No notes/ },
];

const WALKS: Readonly<Record<PlaceName, readonly PaneWalk[]>> = {
  run: [{ title: 'Signals', shows: /high +watchlist_hit_ofac/, filter: ['high', 2] }],
  comparison: [{ title: 'Comparison', shows: /\d+ same/, opens: USER_LINK }],
  users: [{ title: 'Users', isSearched: true, shows: /Q\*\*\* O\*\*\* +fail/, opens: USER_LINK }],
  businesses: [
    {
      title: 'Businesses',
      isSearched: true,
      shows: /fp_bid_\w+ +A/,
      opens: [new RegExp(`› Business fp_bid_${ID}$`), /tax number +/],
    },
  ],
  found: [
    { title: 'Everyone', isSearched: true, shows: /^(?=[^]*Q\*\*\* O\*\*\* +fail)[^]*(?:fp_bid_|…)\w+ +A/ },
  ],
  user: ENTITY_OF_USER,
  business: ENTITY_OF_BUSINESS,
  banks: [
    {
      title: 'Bank links',
      shows: new RegExp(`link_${ID} +(?:fp_id_|…)`),
      opens: [new RegExp(`› Bank link link_${ID}$`), /Everyday Checking/],
    },
  ],
  bank: [
    { title: 'Accounts', shows: /Everyday Checking +8096/, filter: ['savings', 1] },
    { title: 'Transactions', shows: /USD, 90 days [▁▂▃▄▅▆▇█]{20} low .*\n[^]*[+-][\d,.]+ USD/ },
    { title: 'Holdings', shows: /No holdings/ },
    { title: 'Link', shows: /persona +default/, filter: ['persona', 1] },
  ],
  events: [
    {
      title: 'Events',
      shows: /onboarding\.completed +pass/,
      opens: [new RegExp(`› Event evt_${ID}$`), /kind +onboarding\.completed/],
    },
  ],
  event: [
    { title: 'Event', shows: /kind +onboarding\.completed/, filter: ['status', 1] },
    { title: 'Body', shows: /"event_kind": "service\.onboarding\.completed"/, filter: ['is_live', 1] },
    {
      title: 'Deliveries',
      isSearched: true,
      shows: /failing \(1 of 8\) .* 500[^]*delivered .* 200/,
      opens: [new RegExp(`› Delivery dlv_${ID}$`), /status +failing \(1 of 8\)/],
    },
  ],
  deliveries: [
    {
      title: 'Deliveries',
      isSearched: true,
      shows: /failing \(1 of 8\) .* 500[^]*delivered .* 200/,
      opens: [new RegExp(`› Delivery dlv_${ID}$`), /status +failing \(1 of 8\)/],
    },
  ],
  delivery: [
    { title: 'Delivery', shows: /url +http:\/\/127\.0\.0\.1:\d+\/hooks/, filter: ['failing', 1] },
    { title: 'Attempts', shows: /1 +2026-03-01 12:00:00 +500[^]*The receiver failed/ },
    { title: 'Body', shows: /"event_kind": "service\.onboarding\.completed"/ },
  ],
  requests: [{ title: 'Requests', shows: /\d{3} +(?:GET|POST) +\//, opens: REQUEST }],
  request: [
    { title: 'Request', shows: /proxied to +http:\/\/127\.0\.0\.1:\d+\/check/ },
    { title: 'Body', shows: /<application\/octet-stream \d+ bytes>/ },
    { title: 'Answer', shows: /<application\/json \d+ bytes>/ },
    { title: 'Proxy', shows: /target +http[^]*id\.ssn9\n +\*\*\*9856 → \*\*\*9856/, filter: ['policy', 1] },
  ],
  proxy: [{ title: 'Proxy calls', shows: /201 +jit +http:\S+ +201 +2/, opens: REQUEST }],
  clock: [
    { title: 'Clock', shows: /now \(UTC\) +2026-03-01 12:00:00/, filter: ['offset', 1] },
    { title: 'Faults', shows: /GET \/never\/\* +503 fault_injected +2 of 2/ },
    { title: 'Instance', shows: /storage +ephemeral/, filter: ['egress', 1] },
  ],
  reviews: [{ title: 'Reviews', shows: /2026-03-01 12:00:00 +(?:fp_bid_|…)/ }],
  snapshots: [{ title: 'Snapshots', shows: /before-lunch[^]*3 users/ }],
  webhooks: [{ title: 'Webhook endpoints', shows: /enabled +http:\/\/127\.0\.0\.1:\d+\/hooks/ }],
  outcomes: [
    { title: 'Outcome rules', shows: /100 +step_up +external id never-\* +3 of 3/, filter: ['never', 1] },
  ],
  playbooks: [{ title: 'Playbooks', shows: /KYC +kyc +pass +9 required values/, filter: ['kyb', 1] }],
  keys: [{ title: 'API keys', shows: /in use here +\S.*sk_test_/ }],
  access: [{ title: 'Access log', isSearched: true, shows: /decrypt +granted +\S+ +\S+/, opens: USER_LINK }],
};

const LOADED = /^(?![^]*Loading …)/;

/** Reads the position and the count at the end of the last line. */
function positionOf(text: string): readonly [at: number, of: number] {
  const [, at = '', of = ''] = /(\d+) of (\d+)\+?$/.exec(text.trimEnd()) ?? [];
  return [Number(at), Number(of)];
}

async function walkPane(app: OpenApp, walk: PaneWalk): Promise<void> {
  const first = await app.until(walk.shows);
  const [, rows] = positionOf(first);
  await sortsThrough(app);
  await app.type('/zzqx');
  if (walk.isSearched) await app.press('enter');
  await app.until(/Nothing matches the filter/);
  await app.press('escape');
  await app.until(LOADED);
  if (walk.filter !== undefined) {
    const [text, left] = walk.filter;
    await app.enter(`/${text}`);
    expect(positionOf(await app.until(new RegExp(`/${text}`)))[1], text).toBe(left);
    await app.press('escape');
  }
  if (rows === 0) return;
  await app.until(new RegExp(`of ${rows}\\+?$`));
  await app.press('g');
  if (rows < 100) {
    await app.press('G');
    expect(positionOf(app.text())).toEqual([rows, rows]);
    await app.press('k');
    expect(positionOf(app.text())[0]).toBe(Math.max(1, rows - 1));
    await app.press('g', 'j');
    expect(positionOf(app.text())[0]).toBe(Math.min(2, rows));
    await app.press('g');
  }
  await app.press('y', 'Y', 'c');
  if (walk.opens !== undefined) await opensAndGoesBack(app, walk.opens);
}

async function lookAtPane(app: OpenApp, { shows }: PaneWalk): Promise<void> {
  const [, rows] = positionOf(await app.until(shows));
  if (rows === 0 || rows >= 100) return;
  await app.press('G');
  expect(positionOf(app.text())).toEqual([rows, rows]);
}

/** Sorts by each column in turn, until the order is the daemon's again. */
async function sortsThrough(app: OpenApp): Promise<void> {
  await app.press('s');
  expect(app.text()).toMatch(/Sorted by/);
  await app.press('S');
  expect(app.text()).toMatch(/Sorted by .*, descending/);
  for (let columns = 0; columns < 12 && !app.text().includes('Sorted as the daemon lists them'); columns += 1)
    await app.press('s');
  expect(app.text()).toContain('Sorted as the daemon lists them');
}

async function opensAndGoesBack(app: OpenApp, [title, shows]: readonly [RegExp, RegExp]): Promise<void> {
  const before = app.screen.lines()[1];
  await app.press('enter');
  await app.until(shows);
  expect(app.screen.lines()[1]).toMatch(title);
  await app.press('escape');
  await app.until(LOADED);
  expect(app.screen.lines()[1]).toBe(before);
}

const world = useShared(aFullWorld);

test('screens: each screen and each pane is walked here', () => {
  const places = Object.values(world().places);
  const walked = new Set(places.map(({ screen }) => screen));
  expect(walked, 'places are in a-full-world.ts').toEqual(new Set(Object.keys(screens)));
  for (const name of PLACES) {
    const place = world().places[name];
    const titles = screens[place.screen].panes.map(({ title }) => title);
    expect(
      WALKS[name].map(({ title }) => title),
      name,
    ).toEqual(titles);
  }
});

describe.each(SIZES)('at $columns x $rows', ({ walk, ...size }) => {
  test.each(PLACES)('screens: %s shows what there is, and every frame fits', async (name) => {
    const { source, places } = world();
    using app = openApp({ source, place: places[name], size });
    for (const pane of WALKS[name]) {
      await walk(app, pane);
      await app.press('tab');
    }
    const frames = new Set(app.screen.frames);
    for (const frame of frames) expectFits(frame, size);
    const all = [...frames, ...app.copied].join('\n');
    expect(hiddenIn(all)).toEqual([]);
  });
});
