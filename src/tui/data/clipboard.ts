/**
 * Copies to the user's clipboard: through tmux if the inspector runs in it, or else through the terminal, which works
 * over ssh too. Only tmux confirms that it has the text.
 */
import { execFile } from 'node:child_process';
import type { TerminalEnvironment } from './images.ts';

/** The limit of xterm; other terminals take more. */
const LONGEST_BASE64 = 74_994;
/** tmux responds at once, or it is not tmux. */
const TMUX_LIMIT_MS = 2000;

/**
 * `copied`: the clipboard has the text. `sent`: the terminal got it, but may be set to refuse it. `too_long`:
 * terminals would cut the text, so it was not sent.
 */
export type Copied = 'copied' | 'sent' | 'too_long';

/** Copies a text to the clipboard. Never rejects. */
export async function copyText(
  text: string,
  environment: TerminalEnvironment,
  write: (escape: string) => void,
): Promise<Copied> {
  if (isInTmux(environment) && (await intoTmux(text))) return 'copied';
  const escape = clipboardEscape(text, environment);
  if (escape === undefined) return 'too_long';
  write(escape);
  return 'sent';
}

/** The sequence that copies the text (OSC 52); undefined if terminals would cut or drop it. */
export function clipboardEscape(text: string, environment: TerminalEnvironment): string | undefined {
  const data = Buffer.from(text, 'utf8').toString('base64');
  if (data.length > LONGEST_BASE64) return undefined;
  const sequence = `\x1b]52;c;${data}\x07`;
  return isInTmux(environment) ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence;
}

function isInTmux({ TMUX }: TerminalEnvironment): boolean {
  return TMUX !== undefined && TMUX !== '';
}

/** Sets tmux's buffer. `-w` also sets the clipboard of the outer terminal, without `allow-passthrough`. */
async function intoTmux(text: string): Promise<boolean> {
  // tmux before 3.2 has no -w; then only its buffer has the text, which `prefix ]` pastes.
  return (await loadBuffer(['-w'], text)) || (await loadBuffer([], text));
}

function loadBuffer(flags: readonly string[], text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const words = ['load-buffer', ...flags, '-'];
    const child = execFile('tmux', words, { timeout: TMUX_LIMIT_MS }, (error) => resolve(error === null));
    // A tmux that has exited reads nothing; its exit code reports that.
    child.stdin?.on('error', () => undefined).end(text);
  });
}
