import { expect, test } from 'vitest';
import { housePicture, type Room } from '../../src/devtools/pictures/house.ts';
import { layersOf, readTree } from '../../src/devtools/check-imports.ts';
import { ROOT } from '../support/root.ts';
import { aTree } from './source-tree.ts';

const house = layersOf(readTree(`${ROOT}/src`));

function changed(name: string, room: Room): ReadonlyMap<string, Room> {
  return new Map([...house, [name, room]]);
}

test('layersOf: a folder has its lines and the folders that it imports, the facts of the contract apart', () => {
  const tree = aTree({
    'vault/a.ts': `import '../kernel/a.ts';\nimport '../contract/facts/b.ts';\n`,
    'vault/b/c.ts': `import '../a.ts';\nimport 'node:path';\nimport '../../../package.json';\n`,
  });
  expect(layersOf(readTree(tree))).toEqual(
    new Map([['vault', { lines: 5, imports: new Set(['kernel', 'contract/facts']) }]]),
  );
});

test('housePicture: every folder has a place, and every arrow leads down', () => {
  expect(housePicture(house).problems).toEqual([]);
});

test('housePicture: a new import changes it, and some more lines do not', () => {
  const { content } = housePicture(house);
  const form = house.get('form') ?? { lines: 0, imports: new Set() };
  const storage = house.get('storage') ?? { lines: 0, imports: new Set() };
  expect(housePicture(changed('form', { ...form, lines: 1001 })).content).toBe(
    housePicture(changed('form', { ...form, lines: 1499 })).content,
  );
  for (const added of ['contract', 'outbound']) {
    const imports = new Set([...storage.imports, added]);
    expect(housePicture(changed('storage', { ...storage, imports })).content).not.toBe(content);
  }
});

test('housePicture: a folder without a place, a place without a folder and an arrow upwards are problems', () => {
  const withoutVault = new Map([...house].filter(([name]) => name !== 'vault'));
  expect(housePicture(changed('attic', { lines: 1, imports: new Set() })).problems).toEqual([
    'src/attic: give it a place in src/devtools/pictures/house.ts',
  ]);
  expect(housePicture(withoutVault).problems).toEqual([
    'src/devtools/pictures/house.ts: src/ has no folder vault',
  ]);
});

test('housePicture: an import by exception is no arrow but is named', () => {
  const { content } = housePicture(changed('kernel', { lines: 1, imports: new Set(['daemon']) }));
  expect(content).toContain('kernel → daemon');
});
