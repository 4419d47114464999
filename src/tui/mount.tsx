/** Draws the inspector in a terminal until the user leaves. */
import { Component, type ReactNode } from 'react';
import { render, useInput } from 'ink';
import { App } from './components/app.tsx';
import { keysOf } from './components/keys.ts';
import { ThemeProvider, THEMES, type ThemeName } from './components/theme.tsx';
import { clipboardEscape } from './data/clipboard.ts';
import { imageEscape } from './data/images.ts';
import { createLink, type Found } from './data/link.ts';
import { createRuntime, type Surroundings } from './runtime.ts';
import type { Setup, Size } from './state/model.ts';
import { forInk, takeTerminal } from './terminal.ts';

export interface InspectOptions {
  readonly setup: Setup;
  readonly first: Found;
  readonly find: () => Promise<Found>;
  readonly ownVersion: string;
  readonly theme: ThemeName;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Tells what the terminal can do. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Keys are answered as they come; what happens elsewhere comes in batches (link.ts). */
const MOST_FRAMES_PER_SECOND = 60;

/** Which signal ended it; undefined when the user did. Throws CrashError when drawing failed. */
export async function inspect(options: InspectOptions): Promise<NodeJS.Signals | undefined> {
  const { setup, first, find, ownVersion, theme, stdin, stdout, environment } = options;
  const now = () => performance.now();
  const terminal = takeTerminal(stdout, stdin);
  let runtime: ReturnType<typeof createRuntime> | undefined;
  const link = createLink({
    first,
    find,
    environment: setup.environment,
    ownVersion,
    tell: (message) => runtime?.dispatch(message),
  });
  let end: (outcome: NodeJS.Signals | Error | undefined) => void = () => undefined;
  const ended = new Promise<NodeJS.Signals | Error | undefined>((resolve) => (end = resolve));
  const world: Surroundings = {
    source: () => link.source(),
    now,
    copy: (text) => void stdout.write(clipboardEscape(text, environment) ?? ''),
    reconnect: () => link.retry(),
    showImage(image, milliseconds) {
      const { columns, rows } = sizeOf(stdout);
      const escape = imageEscape(image, environment, columns, rows - 2);
      if (escape !== undefined) showOver(escape, milliseconds);
      return escape !== undefined;
    },
  };
  runtime = createRuntime(setup, sizeOf(stdout), world);
  const { dispatch, getState } = runtime;
  const app = (
    <Guard onCrash={end}>
      <ThemeProvider value={THEMES[theme]}>
        <App runtime={runtime} now={now} />
      </ThemeProvider>
    </Guard>
  );
  const instance = render(app, {
    stdin,
    stdout: forInk(stdout),
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: MOST_FRAMES_PER_SECOND,
    isScreenReaderEnabled: false,
  });

  let endShow: () => void = () => undefined;

  /** An image is drawn where ink draws nothing; a key or the end of its time brings the window back. */
  function showOver(escape: string, milliseconds: number): void {
    const unsubscribe = runtime?.subscribe(() => {
      // Nothing of the vault stays when the daemon is lost or the user leaves.
      const { connection, isLeaving } = getState();
      if (connection.kind === 'lost' || isLeaving) back();
    });
    const timer = setTimeout(() => back(), milliseconds);
    function back(): void {
      endShow = () => undefined;
      clearTimeout(timer);
      unsubscribe?.();
      terminal.clear();
      instance.rerender(app);
    }
    endShow = back;
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
  const onSignal = (signal: NodeJS.Signals) => end(signal);
  // The terminal is gone, and with it whoever could leave.
  const onEnd = () => end('SIGHUP');
  const onCrash = (error: unknown) => end(error instanceof Error ? error : new Error('unknown'));
  stdout.on('resize', onResize);
  stdin.on('end', onEnd);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
  void runtime.left.then(() => end(undefined));
  void link.follow();
  try {
    const outcome = await ended;
    if (outcome instanceof Error) throw new CrashError(outcome);
    return outcome;
  } finally {
    link.stop();
    endShow();
    stdout.off('resize', onResize);
    stdin.off('end', onEnd);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.off(signal, onSignal);
    process.off('uncaughtException', onCrash);
    process.off('unhandledRejection', onCrash);
    instance.unmount();
    terminal.restore();
  }
}

/** It failed by a fault of ours. Of the failure only its kind and where it was are kept: a message could hold a value. */
export class CrashError extends Error {
  override readonly name = 'CrashError';
  readonly code = 'inspector_crashed';

  constructor(cause: Error) {
    super(`The inspector failed (${kindOf(cause)}); the daemon runs on, and nothing was changed by it`);
    const places = (cause.stack ?? '').replace(cause.message, '').split('\n').filter(isPlace);
    this.stack = [`${this.name}: ${this.message}`, ...places].join('\n');
  }
}

/** A message can have lines that look like the ones of a stack. */
const isPlace = (line: string) =>
  /^ +at (?:[\w$.<>[\] ]+ \()?(?:node:|file:|\/|[A-Z]:\\)[^()]*:\d+:\d+\)?$/.test(line);

const kindOf = ({ name }: Error) => (/^[A-Za-z]{1,40}$/.test(name) ? name : 'Error');

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

/** Of a terminal that doesn't say how large it is, the usual size. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 };
}
