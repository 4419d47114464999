/**
 * Bundles the browser code of hosted flows (contract §14): the script of their pages, and with types
 * `kyclone/browser`, `kyclone/onboarding` and `kyclone/bank-link`. Each is one file without dependencies.
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
  const browser = { ...shared, minifySyntax: true, minifyWhitespace: true };
  await build({
    ...browser,
    entryPoints: [
      { in: 'src/browser/index.ts', out: 'browser' },
      { in: 'src/browser/bank-index.ts', out: 'browser-bank-link' },
      { in: 'src/browser/react.ts', out: 'browser-react' },
    ],
    external: ['react'],
  });
  await build({
    ...browser,
    entryPoints: [{ in: 'src/browser/global.ts', out: 'browser.global' }],
    format: 'iife',
  });
  writeFileSync(join(outdir, 'browser.d.ts'), browserDeclarations(root));
  writeFileSync(join(outdir, 'browser-react.d.ts'), browserReactDeclarations(root));
  // Apps import the style of the SDK; the module brings its own.
  writeFileSync(join(outdir, 'browser.css'), '');
  writeFileSync(join(outdir, 'browser-bank-link.d.ts'), browserBankLinkDeclarations(root));
  writeFileSync(join(outdir, 'onboarding.d.ts'), onboardingDeclarations(root));
  writeFileSync(join(outdir, 'bank-link.d.ts'), bankLinkDeclarations(root));
}

/** The declarations of `kyclone/browser`. */
export function browserDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src'), [
    'form/errors.ts',
    'hosted/embed-language.ts',
    'browser/options.ts',
    'browser/configure.ts',
    'browser/init.ts',
  ]);
}

const REACT_TYPES = `import type {
  InputHTMLAttributes,
  LabelHTMLAttributes,
  ReactElement,
  ReactNode,
} from 'react';
`;

/** The declarations of `kyclone/browser/react`. */
export function browserReactDeclarations(root: string): string {
  const own = joinedDeclarations(join(root, 'src/browser'), ['react.ts']);
  return `${REACT_TYPES}${browserDeclarations(root)}\n${own}`;
}

/** The declarations of `kyclone/browser/bank-link`. */
export function browserBankLinkDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src'), [
    'hosted/embed-language.ts',
    'browser/options.ts',
    'browser/configure.ts',
    'browser/bank.ts',
  ]);
}

/** The declarations of `kyclone/onboarding`. */
export function onboardingDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/hosted'), [
    'embed-appearance.ts',
    'embed-language.ts',
    'embed.ts',
  ]);
}

/** The declarations of `kyclone/bank-link`. */
export function bankLinkDeclarations(root: string): string {
  return joinedDeclarations(join(root, 'src/hosted'), [
    'embed-appearance.ts',
    'embed-language.ts',
    'embed-bank.ts',
  ]);
}
