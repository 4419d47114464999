/**
 * Bundles the browser code of hosted flows (contract §14): the script of their pages, `kyclone/onboarding` and
 * `kyclone/bank-link`; the latter two with types. Each is one file without dependencies.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { joinedDeclarations } from './build-form.ts';

export async function buildHosted({ root, outdir }: { root: string; outdir: string }): Promise<void> {
  const shared = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  } as const satisfies BuildOptions;
  await build({ ...shared, entryPoints: [{ in: 'src/hosted/index.ts', out: 'hosted' }], minify: true });
  await build({
    ...shared,
    entryPoints: [
      { in: 'src/hosted/embed.ts', out: 'onboarding' },
      { in: 'src/hosted/embed-bank.ts', out: 'bank-link' },
    ],
    minifySyntax: true,
    minifyWhitespace: true,
  });
  writeFileSync(join(outdir, 'onboarding.d.ts'), onboardingDeclarations(root));
  writeFileSync(join(outdir, 'bank-link.d.ts'), bankLinkDeclarations(root));
}

/** The declarations of `kyclone/onboarding`. */
export function onboardingDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/hosted'), [
    'embed-appearance.ts',
    'embed-options.ts',
    'embed.ts',
  ]);
}

/** The declarations of `kyclone/bank-link`. */
export function bankLinkDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/hosted'), [
    'embed-appearance.ts',
    'embed-bank-options.ts',
    'embed-bank.ts',
  ]);
}
