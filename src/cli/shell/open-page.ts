/**
 * Opens an address in the browser of the user who typed the command, with each platform's opener and without a shell.
 * Libraries for this bring a dozen packages for other features. The address is our own, but it is still checked to be
 * http, because an opener also takes files and options.
 */
import { spawn } from 'node:child_process';
import { foreignEnvironment } from './environment.ts';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

export interface Viewer {
  /** Whether the user sees a browser: the output is for people, on a desktop. */
  readonly seesBrowser: boolean;
  readonly note: (text: string) => void;
}

/** Returns whether the address was opened. Prints a note if that should have worked but did not. */
export async function openPage(address: string, { seesBrowser, note }: Viewer): Promise<boolean> {
  if (!seesBrowser) return false;
  const isOpen = await startOpener(address);
  if (!isOpen) note('No browser could be opened: open the address yourself');
  return isOpen;
}

/** Returns whether the opener could be started. It continues after this process ends. */
async function startOpener(address: string): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false;
  const [program, ...options] = OPENERS[process.platform] ?? OTHER_OPENER;
  const opener = spawn(program, [...options, address], {
    detached: true,
    stdio: 'ignore',
    env: foreignEnvironment(),
  });
  return await new Promise((resolve) => {
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
