/**
 * The inspector in lines: without a window, overdrawing or colour. For screen readers, and for terminals that only
 * append.
 */
import { emitKeypressEvents } from 'node:readline';
import { printableLines } from '../kernel/terminal-text.ts';
import { announce } from './linear.ts';
import { keyOf, type Keypress } from './linear-keys.ts';
import { echoOf } from './linear-overlays.ts';
import { openSession, sizeOf, type SessionOptions } from './session.ts';
import type { State } from './state/model.ts';
import { pressAll } from './typing.ts';

/**
 * Returns the signal that ended it, or undefined when the user left. Throws CrashError when the inspector itself
 * failed.
 */
export async function linearInspect(options: SessionOptions): Promise<NodeJS.Signals | undefined> {
  const { stdin, stdout } = options;
  const session = openSession({ ...options, setup: { ...options.setup, isLinear: true } });
  const { runtime, now } = session;

  let said: State | undefined;
  let isWithinLine = false;
  const say = () => {
    const state = runtime.getState();
    const echo = echoOf(said?.overlay, state.overlay);
    const lines = announce(said, state);
    said = state;
    if (echo !== '') stdout.write(echo);
    isWithinLine ||= echo !== '';
    if (lines.length === 0) return;
    stdout.write(`${isWithinLine ? '\n' : ''}${printableLines(lines.join('\n'))}\n`);
    isWithinLine = false;
  };

  let pressed: string[] = [];
  const handlePressed = () => {
    const keys = pressed;
    pressed = [];
    pressAll(runtime, keys, now);
  };
  const onKeypress = (text: string | undefined, key: Keypress) => {
    const name = keyOf(text, key);
    if (name === undefined) return;
    if (pressed.length === 0) queueMicrotask(handlePressed);
    pressed.push(name);
  };
  const onResize = () => runtime.dispatch({ type: 'resized', size: sizeOf(stdout) });
  const restore = () => {
    stdin.setRawMode(false);
  };

  const onContinue = () => stdin.setRawMode(true);
  session.suspendBy(restore);

  process.on('exit', restore);
  process.on('SIGCONT', onContinue);
  stdin.setRawMode(true);
  emitKeypressEvents(stdin);
  stdin.on('keypress', onKeypress);
  stdin.on('end', session.hungUp);
  stdout.on('resize', onResize);
  const silence = runtime.subscribe(say);
  try {
    say();
    session.follow();
    return await session.ended;
  } finally {
    silence();
    session.close();
    stdin.off('keypress', onKeypress);
    stdin.off('end', session.hungUp);
    stdout.off('resize', onResize);
    stdin.pause();
    restore();
    process.off('SIGCONT', onContinue);
    process.off('exit', restore);
  }
}
