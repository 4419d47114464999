/** The terminal UI as the command line opens it. What draws is loaded only when something is drawn. */
import type { InspectOptions } from './mount.tsx';
import type { LinearOptions } from './linear-inspect.ts';

export async function inspect(options: InspectOptions): Promise<NodeJS.Signals | undefined> {
  const mount = await import('./mount.tsx');
  return await mount.inspect(options);
}

export async function linearInspect(options: LinearOptions): Promise<NodeJS.Signals | undefined> {
  const linear = await import('./linear-inspect.ts');
  return await linear.linearInspect(options);
}

export { createSource } from './data/source.ts';
export { readScreen, type ScreenText } from './once.ts';
export { CrashError } from './session.ts';
export type { InspectOptions, LinearOptions };
export type { ThemeName } from './components/theme.tsx';
export type { Found } from './data/link.ts';
export type { Place, Setup } from './state/model.ts';
