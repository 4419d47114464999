import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const READ_ONCE =
  /expect\(\s*await [^;\n]*\.(?:innerText|innerHTML|textContent|allInnerTexts|count|isVisible|getAttribute|inputValue|isChecked|title)\(.*/g;

// A page draws after the key or the click has returned: a test that reads it once passes or fails by the machine.
test('browser tests: what a page shows is polled, not read once', () => {
  const folder = import.meta.dirname;
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(READ_ONCE)].map(([line]) => `${name}: ${line}`),
    );

  expect(found).toEqual([]);
});
