/** esbuild's `build`, which fails on a warning too: nobody reads what `npm ci` prints about a build that goes on. */
import { build as built, formatMessagesSync, type BuildOptions, type BuildResult } from 'esbuild';

export async function build<Options extends BuildOptions>(options: Options): Promise<BuildResult<Options>> {
  const quiet: BuildOptions = { ...options, logLevel: 'error' };
  const result: BuildResult<Options> = await built(quiet);
  if (result.warnings.length > 0)
    throw new Error(formatMessagesSync(result.warnings, { kind: 'warning' }).join(''));
  return result;
}

/** For a CommonJS file in which `import.meta.url` is its own address. */
export const COMMON_JS = {
  metafile: true,
  splitting: false,
  format: 'cjs',
  charset: 'ascii',
  define: { 'import.meta.url': '__bundleUrl' },
  banner: { js: "const __bundleUrl=require('node:url').pathToFileURL(__filename).href;" },
} as const satisfies BuildOptions;
