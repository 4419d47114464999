/** Reads the QR code that a terminal shows, as a camera does. */
import { createRequire } from 'node:module';
import type jsQR from 'jsqr';

/** The library is CommonJS. Node and the compiler find its function at different places. */
const readCode = createRequire(import.meta.url)('jsqr') as (typeof jsQR)['default'];
/** The width of a module of the code in pixels. */
const SCALE = 4;
const FOREGROUND = new Map([
  [' ', [false, false]],
  ['▀', [true, false]],
  ['▄', [false, true]],
  ['█', [true, true]],
]);

/**
 * Returns the text of the QR code in `screen`, or undefined when there is none. The code is drawn with half blocks.
 * With the colours black on white the blocks are the black modules, and without these colours they are the light ones.
 */
export function readQrCode(screen: string): string | undefined {
  const isBlackOnWhite = screen.includes('\u001b[38;5;16;48;5;231m');
  const rows = screen.replace(/\u001b\[[\d;]*m|\r/g, '').split('\n');
  const lines = rows.filter((line) => /^[ ▀▄█]{20,}$/.test(line));
  const pixels: boolean[][] = lines.flatMap((line) =>
    [0, 1].map((half) =>
      Array.from(line, (cell) => (FOREGROUND.get(cell)?.[half] ?? false) === isBlackOnWhite),
    ),
  );
  const [width, height] = [(pixels[0]?.length ?? 0) * SCALE, pixels.length * SCALE];
  if (width === 0) return undefined;
  const image = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isBlack = pixels[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)] ?? false;
      image.set([...Array<number>(3).fill(isBlack ? 0 : 255), 255], (y * width + x) * 4);
    }
  }
  return readCode(image, width, height, { inversionAttempts: 'dontInvert' })?.data;
}
