/** The pictures of the last screens: a card with a badge. They take their colours from the style of the page. */
const NAMESPACE = 'http://www.w3.org/2000/svg';

const BADGES = {
  done: 'M113 86l8 8 15-16',
  waiting: 'M124 74v12l8 6',
  left: 'M134 86h-20m7-8l-8 8 8 8',
  problem: 'M124 74v14m0 7v.5',
} as const;

export type DrawingName = keyof typeof BADGES;

const CARD = [
  ['soft', 'M80 8a66 56 0 1 0 .1 0z'],
  ['card', 'M26 26h96a8 8 0 0 1 8 8v52a8 8 0 0 1-8 8H26a8 8 0 0 1-8-8V34a8 8 0 0 1 8-8z'],
  ['soft', 'M46 42a9 9 0 1 0 .1 0zM30 80a16 16 0 0 1 32 0z'],
  ['line', 'M76 46h38M76 60h38M76 74h20'],
  ['badge', 'M124 64a22 22 0 1 0 .1 0z'],
] as const;

export function drawing(name: DrawingName): SVGElement {
  const root = document.createElementNS(NAMESPACE, 'svg');
  root.setAttribute('viewBox', '0 0 160 120');
  root.setAttribute('class', `drawing ${name}`);
  root.setAttribute('aria-hidden', 'true');
  for (const [kind, line] of [...CARD, ['mark', BADGES[name]] as const]) {
    const path = document.createElementNS(NAMESPACE, 'path');
    path.setAttribute('class', kind);
    path.setAttribute('d', line);
    root.append(path);
  }
  return root;
}
