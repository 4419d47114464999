/**
 * Opens an address in the browser of the desktop, with the opener of each platform and without a shell. The libraries
 * for it bring a dozen packages for other things than addresses; this needs three names. The address is one of ours, and
 * it is checked all the same to be http: an opener takes files and options, too.
 */
import { spawn } from 'node:child_process';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

/** Whether the opener could be started; it runs on when this process has ended. */
export async function openPage(address: string): Promise<boolean> {
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
