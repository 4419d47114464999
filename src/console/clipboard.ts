/** Copies to the clipboard, and clears what must not stay there as far as the browser allows it. */
import type { Copied } from '../tui/data/clipboard.ts';
import type { Notice } from '../tui/state/model.ts';

const CLEARED: Notice = { tone: 'good', text: 'What was copied has left the clipboard' };
const NOT_CLEARED: Notice = {
  tone: 'warn',
  text: 'The browser lets the page not clear the clipboard: copy something else over it',
};

let left: string | undefined;

/** Never rejects. Without permission, or over plain HTTP from another machine, the old way of browsers is tried. */
export async function copyText(text: string): Promise<Copied> {
  left = undefined;
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return copiedBySelection(text) ? 'copied' : 'too_long';
  }
}

/** Copies a decrypted value or a credential: `clearSecret` takes it away again. */
export async function copySecret(text: string): Promise<Copied> {
  const how = await copyText(text);
  left = text;
  return how;
}

/**
 * Browsers allow it while the page has the focus. What others copied since then stays where reading is allowed. Returns
 * what to report; undefined if no secret was in it.
 */
export async function clearSecret(): Promise<Notice | undefined> {
  const secret = left;
  left = undefined;
  if (secret === undefined) return undefined;
  try {
    const present = await navigator.clipboard.readText().catch(() => secret);
    if (present === secret) await navigator.clipboard.writeText('');
    return CLEARED;
  } catch {
    // Without the focus, nothing can be written.
    return NOT_CLEARED;
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way where the page has no clipboard of its own
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
  }
}

/** As the contract masks (§1): stars in the place of what is hidden. */
export function isMasked(text: string): boolean {
  return /\*{2,}/.test(text);
}
