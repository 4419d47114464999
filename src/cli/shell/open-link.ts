/** Opens a page of the instance for the user. */
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
    const { phoneLink } = await import('./phone-link.ts');
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
