/** How a command leads a person to a page of the instance. */
import { canRedraw, wantsColour } from './environment.ts';

export interface LinkOptions {
  /** Whether words are shown: no data is asked for. */
  readonly isForPeople: boolean;
  readonly hasDesktop: boolean;
  readonly print: (text: string) => void;
  readonly note: (text: string) => void;
}

/**
 * Leads a browser, where there is a desktop, to a page whose address holds a token. On a terminal a phone finds it by a
 * QR code, where the instance can be reached from one.
 */
export async function openLink(
  link: string,
  { isForPeople, hasDesktop, print, note }: LinkOptions,
): Promise<void> {
  if (isForPeople && canRedraw(process.stdout)) {
    const { phoneLink } = await import('./phone-link.ts');
    const shown = phoneLink(link, {
      // 0 where a terminal doesn't say.
      columns: process.stdout.columns || undefined,
      hasColour: wantsColour(process.stdout),
    });
    if (shown && 'code' in shown) print(shown.code);
    else if (shown) note(shown.note);
  }
  const { openPrivately } = await import('./open-privately.ts');
  await openPrivately(link, { seesBrowser: isForPeople && hasDesktop, note });
}
