/** Opens a page of the instance for the user. */
import { encode } from 'uqr';
import { LOOPBACK_HOSTS } from '../../contract/facts/requests.ts';
import { canRedraw, wantsColour } from './environment.ts';

export interface LinkOptions {
  /** Whether the output is text for people, not data. */
  readonly isForPeople: boolean;
  readonly hasDesktop: boolean;
  readonly print: (text: string) => void;
  readonly note: (text: string) => void;
}

/**
 * Opens a page whose address contains a token: in a browser, if there is a desktop. On a terminal it also shows a QR
 * code for a phone, if a phone can reach the instance.
 */
export async function openLink(
  link: string,
  { isForPeople, hasDesktop, print, note }: LinkOptions,
): Promise<void> {
  if (isForPeople && canRedraw(process.stdout)) {
    const shown = phoneLink(link, {
      // 0 if the terminal doesn't report its width.
      columns: process.stdout.columns || undefined,
      hasColour: wantsColour(process.stdout),
    });
    if (shown && 'code' in shown) print(shown.code);
    else if (shown) note(shown.note);
  }
  const { openPrivately } = await import('./open-privately.ts');
  await openPrivately(link, { seesBrowser: isForPeople && hasDesktop, note });
}

// A QR code for a phone's camera, drawn with half blocks in black on white, whatever the terminal's colours are.

/** The white margin in modules, which the standard requires. */
const QUIET_ZONE = 4;
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';
/** By the upper and the lower module of a cell, black or not. */
const CELLS = { none: ' ', upper: '▀', lower: '▄', both: '█' } as const;

/**
 * `columns`: the width of the terminal; undefined if unknown. Returns undefined if the code is wider. Without colour,
 * the code is drawn for a dark terminal, where printed blocks are light.
 */
function qrCode(
  text: string,
  { columns, hasColour }: { columns: number | undefined; hasColour: boolean },
): string | undefined {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
  if (columns !== undefined && columns < size) return undefined;
  const isDrawn = (row: number, column: number) => (data[row]?.[column] ?? false) === hasColour;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    let line = '';
    for (let column = 0; column < size; column += 1) {
      const [upper, lower] = [isDrawn(row, column), isDrawn(row + 1, column)];
      line += upper ? (lower ? CELLS.both : CELLS.upper) : lower ? CELLS.lower : CELLS.none;
    }
    lines.push(hasColour ? `${BLACK_ON_WHITE}${line}${RESET}` : line);
  }
  return lines.join('\n');
}

/** Wildcard addresses, which a phone can't connect to. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

/** `note` explains a missing code that the user may expect. Undefined if nothing is meant for a phone. */
export function phoneLink(
  link: string,
  terminal: { readonly columns: number | undefined; readonly hasColour: boolean },
): { readonly code: string } | { readonly note: string } | undefined {
  const { hostname } = new URL(link);
  if (LOOPBACK_HOSTS.includes(hostname) || /^127\./.test(hostname)) return undefined;
  if (EVERY_ADDRESS.has(hostname)) {
    return {
      note: 'No QR code: the instance listens on every address, and a phone needs one of them. Start it with --host ADDRESS',
    };
  }
  const code = qrCode(link, terminal);
  return code === undefined ? { note: 'No QR code: the terminal is too narrow for it' } : { code };
}
