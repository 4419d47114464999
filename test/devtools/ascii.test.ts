import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { asciiCode } from '../../src/devtools/ascii.ts';
import { ROOT } from '../support/root.ts';

describe('asciiCode', () => {
  test.each([
    ['a tagged template', '((parts) => parts[0])`Bearer … 😀`', 'Bearer … 😀'],
    ['a string', `'é' + "ß"`, 'éß'],
    ['an escaped character', '`\\…`', '…'],
    ['a character after a backslash', '`\\\\…`', '\\…'],
    ['a pattern', `/^[é😀]$/u.test('😀')`, true],
    ['a member', `({ é: 1 }).é`, 1],
  ])('asciiCode: %s keeps its meaning', (_, code, expected) => {
    const written = asciiCode(code);

    expect(written).toMatch(/^[\x20-\x7e]*$/);
    expect(runInThisContext(written)).toBe(expected);
  });

  test('asciiCode: a template of String.raw would change, and is refused', () => {
    expect(() => asciiCode('String.raw`a\\`…`')).toThrow('A String.raw template may contain only ASCII');
    expect(asciiCode("String.raw`a` + '…'")).toBe("String.raw`a` + '\\u2026'");
  });
});

describe('dist', () => {
  const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:[cm]?js|d\.c?ts|json)$/.test(file),
  );

  test('dist: what is read as latin1 is ASCII', () => {
    for (const file of ['cli.cjs', 'daemon.cjs', 'testing.cjs']) {
      expect(readFileSync(join(ROOT, 'dist', file), 'utf8').match(/[^\0-\x7f].{0,40}/), file).toBeNull();
    }
  });

  test('dist: every other text is UTF-8, and none was decoded as something else before', () => {
    expect(files.length).toBeGreaterThan(5);
    for (const file of [...files.map((name) => `dist/${name}`), 'oclif.manifest.json']) {
      const bytes = readFileSync(join(ROOT, file));
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      expect(text.match(/(?:â€|Ã[\x80-\xbf]).{0,20}/), file).toBeNull();
    }
  });
});
