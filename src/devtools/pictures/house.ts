/**
 * Draws docs/pictures/house.svg: the folders of src/ as boxes, and the imports between them as arrows. Names, imports and
 * sizes come from the sources; PLACES has only where a box stands. An arrow that follows from others is left out.
 */
import { isAllowedLayer } from '../check-imports.ts';

/** What the picture needs to know of a folder of src/. */
export interface Room {
  readonly lines: number;
  /** The folders that it imports. */
  readonly imports: ReadonlySet<string>;
}

/** In columns and rows. */
interface Place {
  readonly x: number;
  readonly width: number;
  readonly row: number;
}

const PLACES: Readonly<Record<string, Place>> = {
  cli: { x: 0, width: 1.7, row: 0 },
  console: { x: 1.9, width: 1.6, row: 0 },
  testing: { x: 3.7, width: 1.3, row: 0 },
  'single-file': { x: 6, width: 4.4, row: 0 },
  tui: { x: 1.9, width: 1.6, row: 1 },
  client: { x: 0, width: 5, row: 2 },
  daemon: { x: 6, width: 4.4, row: 1 },
  http: { x: 6, width: 4.4, row: 2 },
  services: { x: 0, width: 10.4, row: 3 },
  'bank-simulation': { x: 0, width: 2.9, row: 4 },
  pages: { x: 3.2, width: 2, row: 4 },
  outbound: { x: 5.5, width: 2.2, row: 4 },
  vault: { x: 8, width: 2.4, row: 4 },
  storage: { x: 8, width: 2.4, row: 5 },
  browser: { x: 11.4, width: 2, row: 0 },
  hosted: { x: 11.4, width: 2, row: 1 },
  form: { x: 11.4, width: 2, row: 2 },
};

/** Below all others, from the top down. A square in the colour of one stands in each box that imports it. */
const GROUND: Readonly<Record<string, string>> = {
  fixtures: '#d0a2f2',
  contract: '#7fb4ff',
  'contract/facts': '#6ed0d6',
  kernel: '#8fd18b',
};

const NOT_DRAWN: readonly string[] = ['devtools'];

/** Calls over HTTP, which no import shows. */
const CALLS = ['client', 'hosted'];

export function housePicture(rooms: ReadonlyMap<string, Room>): {
  readonly content: string;
  readonly problems: string[];
} {
  const drawn = [...rooms.keys()].filter((name) => !NOT_DRAWN.includes(name));
  const arrows = arrowsOf(rooms);
  return {
    content: svgOf(rooms, arrows),
    problems: [
      ...drawn
        .filter((name) => PLACES[name] === undefined && GROUND[name] === undefined)
        .map((name) => `src/${name}: give it a place in src/devtools/pictures/house.ts`),
      ...[...Object.keys(PLACES), ...Object.keys(GROUND)]
        .filter((name) => !rooms.has(name))
        .map((name) => `src/devtools/pictures/house.ts: src/ has no folder ${name}`),
      ...arrows
        .filter(([from, to]) => placeOf(from).row >= placeOf(to).row)
        .map(([from, to]) => `src/devtools/pictures/house.ts: ${from} imports ${to}: place it above`),
    ],
  };
}

type Arrow = readonly [from: string, to: string];

/** The imports between placed folders, without those that also lead through a third. */
function arrowsOf(rooms: ReadonlyMap<string, Room>): Arrow[] {
  const next = (from: string): string[] =>
    [...(rooms.get(from)?.imports ?? [])].filter(
      (to) => PLACES[to] !== undefined && isAllowedLayer(from, to),
    );
  const reaches = (from: string, to: string): boolean =>
    next(from).some((each) => each === to || reaches(each, to));
  return Object.keys(PLACES).flatMap((from) =>
    next(from)
      .filter((to) => !next(from).some((between) => between !== to && reaches(between, to)))
      .sort()
      .map((to) => [from, to] as const),
  );
}

const CARD = '#151a23';
const BORDER = '#39424f';
const BOX = '#202833';
const TEXT = '#d3dae5';
const QUIET = '#98a4b3';
const CALL = '#f0c674';

const UNIT = 68;
const MARGIN = 24;
const BOX_HEIGHT = 58;
const ROW_HEIGHT = 92;
const ROWS = 1 + Math.max(...Object.values(PLACES).map(({ row }) => row));
const GROUND_TOP = MARGIN + ROWS * ROW_HEIGHT;
const GROUND_HEIGHT = 38;
const COLUMNS = 13.4;
const WIDTH = MARGIN * 2 + COLUMNS * UNIT;
const FOOT = GROUND_TOP + Object.keys(GROUND).length * GROUND_HEIGHT + 24;
const HEIGHT = FOOT + 52;

function placeOf(name: string): Place {
  return PLACES[name] ?? { x: 0, width: COLUMNS, row: ROWS + Object.keys(GROUND).indexOf(name) };
}

function boxOf(name: string) {
  const { x, width, row } = placeOf(name);
  const left = MARGIN + x * UNIT;
  const isGround = GROUND[name] !== undefined;
  const top = isGround ? GROUND_TOP + (row - ROWS) * GROUND_HEIGHT : MARGIN + row * ROW_HEIGHT;
  const height = isGround ? GROUND_HEIGHT - 8 : BOX_HEIGHT;
  return { left, right: left + width * UNIT, top, bottom: top + height, height };
}

function svgOf(rooms: ReadonlyMap<string, Room>, arrows: readonly Arrow[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${rounded(WIDTH)}" height="${HEIGHT}" viewBox="0 0 ${rounded(WIDTH)} ${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="15" fill="${TEXT}">`,
    '<title>The folders of src/ and their imports</title>',
    `<defs>${tip('import', QUIET)}${tip('call', CALL)}</defs>`,
    `<rect x=".5" y=".5" width="${rounded(WIDTH - 1)}" height="${HEIGHT - 1}" rx="10" fill="${CARD}" stroke="${BORDER}"/>`,
    ...arrows.map(importLine),
    ...CALLS.map(callLine),
    ...[...Object.keys(PLACES), ...Object.keys(GROUND)].map((name) => box(name, rooms.get(name))),
    ...footOf(rooms).map(
      (line, at) =>
        `<text x="${MARGIN}" y="${FOOT + at * 20}" font-size="12.5" fill="${QUIET}">${line}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function tip(name: string, colour: string): string {
  return `<marker id="${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="${colour}"/></marker>`;
}

/** Straight down where the boxes overlap, else from middle to middle. */
function importLine([fromName, toName]: Arrow): string {
  const [from, to] = [boxOf(fromName), boxOf(toName)];
  const [left, right] = [Math.max(from.left, to.left), Math.min(from.right, to.right)];
  const doesOverlap = left < right;
  const middle = ({ left: start, right: end }: { left: number; right: number }) => (start + end) / 2;
  const x1 = doesOverlap ? (left + right) / 2 : middle(from);
  const x2 = doesOverlap ? x1 : middle(to);
  return line({ x1, y1: from.bottom, x2, y2: to.top - 2 }, `stroke="${QUIET}" marker-end="url(#import)"`);
}

function callLine(name: string): string {
  const [from, to] = [boxOf(name), boxOf('http')];
  const y = from.top + BOX_HEIGHT / 2;
  const [x1, x2] = from.left < to.left ? [from.right, to.left - 2] : [from.left, to.right + 2];
  return [
    line(
      { x1, y1: y, x2, y2: y },
      `stroke="${CALL}" stroke-width="1.5" stroke-dasharray="5 4" marker-end="url(#call)"`,
    ),
    `<text x="${rounded((x1 + x2) / 2)}" y="${y - 9}" text-anchor="middle" font-size="12.5" fill="${CALL}">HTTP</text>`,
  ].join('');
}

function line(ends: { x1: number; y1: number; x2: number; y2: number }, look: string): string {
  const places = Object.entries(ends).map(([name, value]) => `${name}="${rounded(value)}"`);
  return `<line ${places.join(' ')} ${look}/>`;
}

function box(name: string, room: Room | undefined): string {
  const { left, right, top, height } = boxOf(name);
  const colour = GROUND[name];
  const size = `<tspan dx="8" font-size="12.5" font-weight="400" fill="${QUIET}">${sizeOf(room?.lines ?? 0)}</tspan>`;
  const squares = Object.entries(GROUND).filter(([ground]) => room?.imports.has(ground) && ground !== name);
  const isGround = colour !== undefined;
  const [squareTop, squareLeft] = isGround
    ? [top + height / 2 - 5, right - 12 - squares.length * 16]
    : [top + 38, left + 12];
  return [
    `<rect x="${rounded(left)}" y="${top}" width="${rounded(right - left)}" height="${height}" rx="6" fill="${BOX}" stroke="${colour ?? BORDER}"/>`,
    `<text x="${rounded(left + 12)}" y="${isGround ? top + 20 : top + 24}" font-weight="600">${name}${size}</text>`,
    ...squares.map(
      ([, fill], at) =>
        `<rect x="${rounded(squareLeft + at * 16)}" y="${squareTop}" width="10" height="10" rx="2" fill="${fill}"/>`,
    ),
  ].join('');
}

/** In thousands, so that the picture changes with the house and not with each line. */
function sizeOf(lines: number): string {
  return lines < 1000 ? '' : `${Math.round(lines / 1000)}k`;
}

function footOf(rooms: ReadonlyMap<string, Room>): string[] {
  const exceptions = [...rooms].flatMap(([from, { imports }]) => {
    const targets = [...imports].filter((to) => !isAllowedLayer(from, to)).sort();
    return targets.length === 0 ? [] : [`${from} → ${targets.join(', ')}`];
  });
  return [
    'k: a thousand lines. An arrow is an import; one that follows from others is left out. A square stands for a bar below.',
    `Single files, by exception: ${exceptions.sort().join('; ')}.`,
  ];
}

const rounded = (length: number) => Math.round(length * 10) / 10;
