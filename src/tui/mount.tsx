/** Draws the inspector in a terminal until the user leaves. */
import { Component, type ReactNode } from 'react';
import { render, Text, useInput } from 'ink';
import { App } from './components/app.tsx';
import { keysOf } from './components/keys.ts';
import { ThemeProvider, THEMES, type ThemeName } from './components/theme.tsx';
import { imageEscape } from './data/images.ts';
import { sizeOf, type InspectorSession, type SessionOptions } from './session.ts';
import { createTerminalInput } from './terminal-input.ts';
import { forInk, keysForInk, takeTerminal } from './terminal.ts';
import { paste } from './typing.ts';

/** Keys take effect at once; news from elsewhere comes in batches (link.ts). */
const MOST_FRAMES_PER_SECOND = 60;
/** Rows for one notch of the wheel. */
const ROWS_OF_WHEEL = 3;
/** Longer than a frame. */
const REDRAW_MS = 50;

/** Returns the signal that ended it, or undefined when the user left. Throws CrashError when drawing failed. */
export async function draw(
  session: InspectorSession,
  { stdin, stdout, environment }: SessionOptions,
  theme: ThemeName,
): Promise<NodeJS.Signals | undefined> {
  const { runtime, now } = session;
  const { dispatch, getState } = runtime;
  const terminal = takeTerminal(stdout, stdin);
  session.showImagesBy((image, milliseconds) => {
    const { columns, rows } = sizeOf(stdout);
    const escape = imageEscape(image, environment, columns, rows - 2);
    if (escape !== undefined) showOver(escape, milliseconds);
    return escape !== undefined;
  });
  const app = (
    <Guard onCrash={session.crashed}>
      <ThemeProvider value={THEMES[theme]}>
        <App runtime={runtime} now={now} />
      </ThemeProvider>
    </Guard>
  );
  let endShow: () => void = () => undefined;
  let isShowing = false;
  const input = createTerminalInput({
    paste: (text) => paste(runtime, text, now),
    mouse(event) {
      if (isShowing) endShow();
      else if (event.kind === 'wheel')
        for (let turn = 0; turn < ROWS_OF_WHEEL; turn += 1)
          dispatch({ type: 'key', key: event.direction, now: now() });
      else dispatch({ type: 'click', line: event.line, column: event.column, now: now() });
    },
  });
  session.suspendBy(() => {
    endShow();
    terminal.give();
  });
  const instance = render(app, {
    stdin: keysForInk(stdin, input),
    stdout: forInk(stdout, now),
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MOST_FRAMES_PER_SECOND,
    isScreenReaderEnabled: false,
  });

  /** Shows an image while ink draws nothing. A key or the end of its time restores the window. */
  function showOver(escape: string, milliseconds: number): void {
    const unsubscribe = runtime.subscribe(() => {
      // Hides the image when the daemon is lost or the user leaves.
      const { connection, isLeaving } = getState();
      if (connection.kind === 'lost' || isLeaving) back();
    });
    const timer = setTimeout(() => back(), milliseconds);
    function back(): void {
      isShowing = false;
      endShow = () => undefined;
      clearTimeout(timer);
      unsubscribe();
      terminal.clear();
      instance.rerender(app);
    }
    endShow = back;
    isShowing = true;
    instance.clear();
    instance.rerender(
      <AnyKey onKey={(key) => (key === 'ctrl-c' ? dispatch({ type: 'key', key, now: now() }) : back())} />,
    );
    terminal.clear();
    stdout.write(`${escape}\r\n(any key goes back)`);
  }

  const onResize = () => {
    endShow();
    instance.clear();
    terminal.clear();
    dispatch({ type: 'resized', size: sizeOf(stdout) });
  };
  stdout.on('resize', onResize);
  // Ink skips a frame equal to the last one, so an empty frame comes in between.
  let redrawing: NodeJS.Timeout | undefined;
  const onContinue = () => {
    endShow();
    terminal.retake();
    instance.clear();
    instance.rerender(<Text> </Text>);
    clearTimeout(redrawing);
    redrawing = setTimeout(() => {
      instance.clear();
      terminal.clear();
      instance.rerender(app);
      dispatch({ type: 'resized', size: sizeOf(stdout) });
    }, REDRAW_MS);
  };
  process.on('SIGCONT', onContinue);
  stdin.on('end', session.hungUp);
  try {
    return await session.ended;
  } finally {
    endShow();
    stdout.off('resize', onResize);
    process.off('SIGCONT', onContinue);
    clearTimeout(redrawing);
    stdin.off('end', session.hungUp);
    instance.unmount();
    terminal.restore();
  }
}

export class Guard extends Component<
  { children: ReactNode; onCrash: (error: Error) => void },
  { hasFailed: boolean }
> {
  override readonly state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: Error): void {
    this.props.onCrash(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}

function AnyKey({ onKey }: { readonly onKey: (key: string | undefined) => void }): ReactNode {
  useInput((input, key) => onKey(keysOf(input, key)[0]));
  return null;
}
