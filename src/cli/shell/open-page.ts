/**
 * Opens an address in the browser of the person who typed the command, with the opener of each platform and without a
 * shell. The libraries for this bring a dozen packages for other things than addresses. The address is our own, and it is
 * checked all the same to be http: an opener takes files and options, too.
 */
import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

export interface Viewer {
  /** Whether somebody sees a browser: people read the result, on a desktop. */
  readonly seesBrowser: boolean;
  readonly note: (text: string) => void;
}

/** Whether the address was opened; where it should have been and could not, a note says so. */
export async function openPage(address: string, { seesBrowser, note }: Viewer): Promise<boolean> {
  if (!seesBrowser) return false;
  const isOpen = await startOpener(address);
  if (!isOpen) note('No browser could be opened: open the address yourself');
  return isOpen;
}

/** Whether the opener could be started; it runs on when this process has ended. */
async function startOpener(address: string): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false;
  const [program, ...options] = OPENERS[process.platform] ?? OTHER_OPENER;
  const opener = spawn(program, [...options, address], { detached: true, stdio: 'ignore' });
  return await new Promise((resolve) => {
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
