import type { Installation } from '../completion/install.ts';
import { padded } from '../layout.ts';
import { printable } from '../output.ts';

const ACTION_WIDTH = 'unchanged'.length;

/** Paths and lines to copy are not wrapped. */
export function installationView({ files, next }: Installation): string {
  const lines = files.map(({ path, action }) => `${padded(action, ACTION_WIDTH)}  ${printable(path)}`);
  return [...lines, printable(next)].join('\n');
}
