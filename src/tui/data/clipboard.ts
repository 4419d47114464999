/**
 * The user's clipboard: by way of tmux where the inspector runs in it, else of the terminal, which works over ssh too.
 * Only tmux reports that it has the text.
 */
import { execFile } from 'node:child_process';
import type { Environment } from './images.ts';

/** What xterm takes; others take more. */
const LONGEST_BASE64 = 74_994;
/** tmux answers in no time, or is no tmux. */
const TMUX_LIMIT_MS = 2000;

/**
 * `copied`: it is known to be there. `sent`: the terminal got it, and may be set to refuse it. `too_long`: terminals
 * would cut it, so it was not sent.
 */
export type Copied = 'copied' | 'sent' | 'too_long';

/** Puts a text on the clipboard. Never rejects. */
export async function copyText(
  text: string,
  environment: Environment,
  write: (escape: string) => void,
): Promise<Copied> {
  if (isInTmux(environment) && (await intoTmux(text))) return 'copied';
  const escape = clipboardEscape(text, environment);
  if (escape === undefined) return 'too_long';
  write(escape);
  return 'sent';
}

/** The sequence that copies the text (OSC 52); undefined for one that terminals would cut or drop. */
export function clipboardEscape(text: string, environment: Environment): string | undefined {
  const data = Buffer.from(text, 'utf8').toString('base64');
  if (data.length > LONGEST_BASE64) return undefined;
  const sequence = `\x1b]52;c;${data}\x07`;
  return isInTmux(environment) ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence;
}

function isInTmux({ TMUX }: Environment): boolean {
  return TMUX !== undefined && TMUX !== '';
}

/** Sets tmux's buffer, and by `-w` the clipboard of the terminal around it, without `allow-passthrough`. */
async function intoTmux(text: string): Promise<boolean> {
  // Before 3.2 there is no -w; its buffer alone is what `prefix ]` pastes.
  return (await loadBuffer(['-w'], text)) || (await loadBuffer([], text));
}

function loadBuffer(flags: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const words = ['load-buffer', ...flags, '-'];
    const child = execFile('tmux', words, { timeout: TMUX_LIMIT_MS }, (error) => resolve(error === null));
    // A tmux that has gone reads nothing; its exit says so.
    child.stdin?.on('error', () => undefined).end(text);
  });
}
