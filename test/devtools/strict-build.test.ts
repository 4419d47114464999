import { expect, test } from 'vitest';
import { build } from '../../src/devtools/strict-build.ts';

const built = async (contents: string) =>
  await build({ stdin: { contents }, write: false, bundle: true, metafile: true });

test('build: a warning is a failure that says where', async () => {
  await expect(built('if (x === NaN) y();')).rejects.toThrow(/NaN[^]*<stdin>:1/);
});

test('build: returns what esbuild returns', async () => {
  const { metafile, outputFiles } = await built('y();');
  expect(Object.keys(metafile.inputs)).toEqual(['<stdin>']);
  expect(outputFiles[0]?.text).toContain('y()');
});
