/**
 * The parts of the inspector that run behind every form of display: the runtime and the link to the daemon. Ends both
 * when the user leaves, a signal comes or the inspector itself fails.
 */
import { canShowImages } from './data/images.ts';
import { copyText } from './data/clipboard.ts';
import { createLink, type Found } from './data/link.ts';
import { createRuntime, type Surroundings } from './runtime.ts';
import type { Setup, Size, Target } from './state/model.ts';
import { DEFAULT_TENANT } from '../nouns/entities/facts.ts';
import { defined } from '../kernel/defined.ts';

export interface SessionOptions {
  readonly setup: Setup;
  readonly first: Found;
  readonly find: () => Promise<Found>;
  /** Finds another instance, or this one in another environment; undefined if there is no other. */
  readonly elsewhere?: (target: Target) => Promise<Elsewhere>;
  /** Shows a file in the browser; undefined where there is no desktop. */
  readonly browse?: Surroundings['browse'];
  /** The instances that there are now. */
  readonly instances?: Surroundings['instances'];
  readonly ownVersion: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** The variables that describe the terminal. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A daemon to switch to. */
export interface Elsewhere extends Pick<SessionOptions, 'first' | 'find'> {
  readonly setup: Pick<Setup, 'instance' | 'isByAddress' | 'environment' | 'tenant'>;
}

export type InspectorSession = ReturnType<typeof openSession>;

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

/** Requests the data of the first screen at once. */
export function openSession(options: SessionOptions) {
  const { setup, ownVersion, stdout, environment, elsewhere, browse, instances } = options;
  const now = () => performance.now();
  const linkTo = ({ setup: { environment: of, tenant = DEFAULT_TENANT }, first, find }: Elsewhere) =>
    createLink({
      first,
      find,
      space: { tenant, environment: of },
      ownVersion,
      report: (message) => runtime.dispatch(message),
    });
  let link = linkTo(options);
  let end: (outcome: NodeJS.Signals | undefined) => void = () => undefined;
  let fail: (error: CrashError) => void = () => undefined;
  const ended = new Promise<NodeJS.Signals | undefined>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // A failure may come before `ended` is awaited. The await still sees it.
  ended.catch(() => undefined);
  const crashed = (error: unknown) =>
    fail(new CrashError(error instanceof Error ? error : new Error('unknown')));
  const onSignal = (signal: NodeJS.Signals) => end(signal);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', crashed);
  process.on('unhandledRejection', crashed);
  let suspend: () => void = () => undefined;
  let canShow: Surroundings['canShow'] = () => false;
  const cannotShowImages = setup.isLinear === true || !canShowImages(environment);
  const runtime = createRuntime(
    { ...setup, cannotShowImages, cannotBrowse: browse === undefined },
    sizeOf(stdout),
    {
      copy: (text) => copyText(text, environment, (escape) => void stdout.write(escape)),
      canShow: (image) => canShow(image),
      source: (operator, seen) => link.source(operator, seen),
      ...defined({ browse, instances }),
      now,
      ...(elsewhere !== undefined && {
        async switchTo(target: Target) {
          const there = await elsewhere(target);
          // From here on nothing is asked of the daemon that was left, nor reported by it.
          link.stop();
          link = linkTo(there);
          void link.follow();
          return there.setup;
        },
      }),
      reconnect: () => link.retry(),
      suspend() {
        suspend();
        // The whole process group, as ctrl-Z does in a terminal that isn't raw: a script that started this stops, too.
        process.kill(0, 'SIGTSTP');
      },
    },
  );
  void runtime.left.then(() => end(undefined));
  return {
    runtime,
    /** Milliseconds of a clock that only goes forward. */
    now,
    /** Starts following the daemon. */
    follow: () => void link.follow(),
    /** Sets the function that decides about images. Before that, none are shown. */
    showImagesIf: (can: Surroundings['canShow']) => void (canShow = can),
    /** Sets the function that gives the terminal back before the process stops. */
    suspendBy: (by: () => void) => void (suspend = by),
    /** Ends the session: the terminal is gone, so the user can't leave. */
    hungUp: () => end('SIGHUP'),
    /** Ends the session: the inspector itself failed. */
    crashed,
    /** Resolves to the signal that ended the session, or to undefined when the user left. Rejects with CrashError. */
    ended,
    close(): void {
      link.stop();
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('uncaughtException', crashed);
      process.off('unhandledRejection', crashed);
    },
  };
}

/** The usual size, for a terminal that doesn't report its own. */
export function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * The inspector failed because of a bug of its own. Only the kind and the place of the failure are kept, because a
 * message could contain a value.
 */
export class CrashError extends Error {
  override readonly name = 'CrashError';
  readonly code = 'inspector_crashed';

  constructor(cause: Error) {
    super(`The inspector failed (${kindOf(cause)}); the daemon runs on, and nothing was changed by it`);
    const places = (cause.stack ?? '').replaceAll(cause.message, '').split('\n').filter(isPlace);
    this.stack = [`${this.name}: ${this.message}`, ...places].join('\n');
  }
}

/** A message can contain lines that look like stack lines. */
const isPlace = (line: string) =>
  /^ +at (?:[\w$.<>[\] ]+ \()?(?:node:|file:|\/|[A-Z]:\\)[^()]*:\d+:\d+\)?$/.test(line);

/** The name of a single error object could contain anything. */
const kindOf = ({ name }: Error) => (/^[A-Za-z]{0,35}Error$/.test(name) ? name : 'Error');
