/** The styles and scripts of the pages. A bundle has their texts in place of this file (devtools/build.ts). */
import { readFileSync } from 'node:fs';

/** `name`: relative to this folder. */
export function pageFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
