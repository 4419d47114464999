/** Images and actions are named by digest: a tag can be moved to other content. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

const read = (...names: string[]) => readFileSync(join(ROOT, ...names), 'utf8');

/** Texts with steps of a pipeline: the action itself, workflows, and the samples of the docs. */
const STEPS = [
  'action.yml',
  'README.md',
  ...['docs', '.github'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:md|ya?ml)$/.test(name))
      .map((name) => join(folder, name)),
  ),
];

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

test('images: each is named by digest, in the Dockerfile and in compose.yaml', () => {
  const dockerfile = read('Dockerfile');
  const stages = found(dockerfile, /^FROM \S+ AS (\S+)$/gm);
  const images = [
    // `scratch` is no image, but none.
    ...found(dockerfile, /^FROM (?:--\S+ )*(?!scratch$)(\S+)/gm),
    ...found(dockerfile, /^COPY --from=(\S+)/gm).filter((name) => !stages.includes(name)),
    ...found(dockerfile, /^# syntax=(\S+)/gm),
    ...found(read('compose.yaml'), /^ *image: *(\S+)/gm),
  ];
  expect(images).toHaveLength(2);
  for (const image of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('actions: each of another repository is named by commit, with its version beside it', () => {
  const steps = STEPS.flatMap((name) => found(read(name), /^[ -]*uses: *(.*)$/gm));
  // Whoever copies the sample names this repository and a commit of it.
  const others = steps.filter((step) => step !== 'OWNER/kyclone@REF' && !step.startsWith('./'));
  expect(others.length).toBeGreaterThanOrEqual(3);
  for (const step of others) expect(step).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
