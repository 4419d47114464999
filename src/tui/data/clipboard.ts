/** The user's clipboard, by way of their terminal: it works over ssh too, and needs no program. */
import type { Environment } from './images.ts';

/** What xterm takes; others take more. */
const LONGEST_BASE64 = 74_994;

/** The sequence that copies the text (OSC 52); undefined for one that terminals would cut or drop. */
export function clipboardEscape(text: string, environment: Environment): string | undefined {
  const data = Buffer.from(text, 'utf8').toString('base64');
  if (data.length > LONGEST_BASE64) return undefined;
  const sequence = `\x1b]52;c;${data}\x07`;
  const isInTmux = environment['TMUX'] !== undefined && environment['TMUX'] !== '';
  return isInTmux ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence;
}
