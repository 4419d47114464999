/** `kyclone proxy echo`, the real binary. */
import { dirname } from 'node:path';
import { startCli, type RunningCli } from './running-cli.ts';

export const startEcho = (home: string, options: readonly string[] = []) =>
  startCli(['proxy', 'echo', ...options], { home });

export const httpUrl = ({ first }: RunningCli) => String(first['http_url']);

/** Returns the folder of its certificates. */
export const folderOf = ({ first }: RunningCli) => dirname(String(first['ca_file']));

export async function post(url: string, body: string): Promise<number> {
  return (await fetch(url, { method: 'POST', body, headers: { 'x-secret': 'header-value' } })).status;
}
