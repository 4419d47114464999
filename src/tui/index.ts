/** The terminal UI as the CLI opens it. The drawing code is loaded only when something is drawn. */
import type { ThemeName } from './components/theme.tsx';
import { openSession, type InspectorSession, type SessionOptions } from './session.ts';
import { currentPane } from './state/reading.ts';

/**
 * Draws until the user leaves. Returns the signal that ended it, or undefined when the user left. Throws CrashError
 * when drawing failed.
 */
export async function inspect(
  options: SessionOptions,
  theme: ThemeName,
): Promise<NodeJS.Signals | undefined> {
  // The daemon loads the first rows while the drawing code loads.
  const session = openSession(options);
  session.follow();
  try {
    const [{ draw }] = await Promise.all([import('./mount.tsx'), firstRows(session)]);
    return await draw(session, options, theme);
  } finally {
    session.close();
  }
}

/** Drawing a loading state takes longer than most loads, so the first frame waits this long for the rows. */
const PATIENCE_MS = 100;

async function firstRows({ runtime }: InspectorSession): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    };
    const unsubscribe = runtime.subscribe(() => {
      const { loading, generation } = currentPane(runtime.getState());
      if (loading === undefined || generation > 1) settle();
    });
    const timer = setTimeout(settle, PATIENCE_MS);
  });
}

/** Like `inspect`, but in lines. */
export async function linearInspect(options: SessionOptions): Promise<NodeJS.Signals | undefined> {
  const { linearInspect: inspectInLines } = await import('./linear-inspect.ts');
  return await inspectInLines(options);
}

export { createSource } from './data/source.ts';
export { dataOf, readScreen, type ScreenData, type ScreenText } from './once.ts';
export { CrashError, type Elsewhere } from './session.ts';
export type { SessionOptions, ThemeName };
export type { Found } from './data/link.ts';
export type { ScreenPlace as Place, Setup, Target } from './state/model.ts';
