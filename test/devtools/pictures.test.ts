import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pictures, svgOf, PipedTerminal } from '../../src/devtools/pictures.ts';
import { ROOT } from '../support/daemon.ts';
import '../support/tier-all.ts';

const LIMIT_BYTES = 400 * 1024;
const { PATH } = process.env;

function textOf(svg: string): string {
  return svg.replaceAll(/<[^>\n]*>/g, ' ').replaceAll(/ +/g, ' ');
}

test('pictures: they show what the built program prints now', async () => {
  const drawn = await pictures();
  expect(drawn.map(({ path }) => path)).toEqual(['docs/pictures/tour.svg', 'docs/pictures/inspect.svg']);
  for (const { path, content } of drawn) {
    const kept = readFileSync(join(ROOT, path), 'utf8');
    const isStale = `${path} is stale: npm run build && npm run pictures`;
    expect(textOf(content), isStale).toBe(textOf(kept));
    expect(content, isStale).toBe(kept);
  }
  expect(drawn.reduce((total, { content }) => total + Buffer.byteLength(content), 0)).toBeLessThan(
    LIMIT_BYTES,
  );
});

test('PipedTerminal: a program prints as on a terminal, and its colours, wide characters and moves become cells', async () => {
  const terminal = new PipedTerminal({ columns: 20, rows: 10 }, { PATH });
  const program =
    'process.stdout.write(`${process.stdout.isTTY} \\x1b[31m山\\x1b[0m <\\x1b[7m \\x1b[0m\\b\\b&`)';
  await terminal.type(`node -e '${program}' 2>&1`);
  const svg = svgOf(terminal.screen(), { title: 'a & b', columns: 20 });
  expect(textOf(svg)).toContain('true 山 &amp;');
  expect(svg).toContain('>a &amp; b<');
  expect(svg).toMatch(/textLength="16\.8" y="[\d.]+" lengthAdjust="spacingAndGlyphs" fill="#ff8087">山</);
  expect(svg).toMatch(/<rect x="[\d.]+" width="8\.4" y="\d+" height="20" fill="#d3dae5"\/>/);
});

test('PipedTerminal: a program that ends without showing the screen is reported with what it showed', async () => {
  const terminal = new PipedTerminal({ columns: 20, rows: 10 }, { PATH });
  await expect(terminal.open('echo nothing', /something/)).rejects.toThrow(
    /never showed \/something\/:\nnothing/,
  );
});

test('svgOf: a colour that the palette lacks is an error', async () => {
  const terminal = new PipedTerminal({ columns: 20, rows: 10 }, { PATH });
  await terminal.type("printf '\\033[38;5;200mx'");
  expect(() => svgOf(terminal.screen(), { title: '', columns: 20 })).toThrow('A picture has no colour 200');
});
