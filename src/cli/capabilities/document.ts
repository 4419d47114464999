/** What `kyclone capabilities --json` prints; made by the build (src/devtools/capabilities.ts). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Capabilities {
  readonly name: string;
  readonly version: string;
  readonly commands: readonly {
    readonly id: string;
    readonly summary: string;
    readonly description: string | null;
    readonly args: readonly object[];
    readonly takes_more_args: boolean;
    readonly flags: readonly object[];
    readonly examples: readonly string[];
    /** Asks before it does what can't be undone, unless `--yes`. */
    readonly destructive: boolean;
    /** Takes `--dry-run`: prints the request instead of sending it. */
    readonly dry_run: boolean;
    readonly output: { readonly format: 'json' | 'ndjson'; readonly schema: object };
  }[];
  readonly exit_codes: readonly { readonly code: number; readonly meaning: string }[];
  readonly environment: readonly { readonly name: string; readonly meaning: string }[];
  readonly output_schemas: Readonly<Record<string, object>>;
  readonly api: { readonly openapi: string; readonly docs: string; readonly endpoints: readonly object[] };
}

/** `root` is the package's folder. */
export function readCapabilities(root: string): Capabilities {
  return JSON.parse(readFileSync(join(root, 'dist', 'capabilities.json'), 'utf8')) as Capabilities;
}
