/**
 * The output of `kyclone capabilities`, as data and as text, and every environment variable that kyclone reads. The
 * build generates the document (src/devtools/build.ts).
 */
import { join } from 'node:path';
import { readOwnFile } from '../../kernel/program/single-file.ts';
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { OUTPUTS } from './outputs.ts';
import { OWN_OUTPUTS } from './own-outputs.ts';

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
    /** Asks for confirmation before it does something irreversible, unless `--yes`. */
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
  return JSON.parse(readOwnFile(join(root, 'dist', 'capabilities.json'))) as Capabilities;
}

/** Every environment variable that kyclone reads, with its purpose. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  KYCLONE_INSTANCE: 'the instance to speak to, as --instance, where KYCLONE_BASE_URL is not set',
  KYCLONE_BASE_URL: 'the address of the daemon to speak to, where no instance is named',
  KYCLONE_API_KEY: 'the API key for the daemon of KYCLONE_BASE_URL',
  KYCLONE_LIVE_API_KEY: 'the key of the live environment there; kyclone env and kyclone exec set it',
  'KYCLONE_OUT_<NAME>':
    'set by kyclone exec for its command: an output of a fixture, the name in capital letters',
  KYCLONE_CONTROL_TOKEN: 'the control token for the daemon of KYCLONE_BASE_URL',
  KYCLONE_ACTOR: 'who is at the keyboard, as --as',
  KYCLONE_HOME: 'one folder for everything: data, state and configuration',
  KYCLONE_VAULT_KEY: 'the vault key, in hex, for a machine without a keychain',
  KYCLONE_VAULT_PASSPHRASE: 'the passphrase that opens the vault',
  KYCLONE_SNAPSHOT_KEY: 'the key of snapshot files for another vault',
  KYCLONE_NO_KEYCHAIN: "keep the vault key in a file instead of the system's keychain",
  KYCLONE_TRUST_PROJECT: '1: agree to everything that project files open up, as --trust-project',
  KYCLONE_REMOTE_API_KEY: 'the sandbox key of the remote that compare calls',
  KYCLONE_PARTNER_API_KEY: 'the key with which users cip signs in to a partner',
  KYCLONE_PARTNER_API_SECRET: 'the secret with which users cip signs in to a partner',
  KYCLONE_WEBHOOK_SECRET: 'the secret for webhooks verify',
  KYCLONE_COMPLETION_TIMEOUT: 'how long Tab waits for ids of the daemon; 300ms unless set',
  KYCLONE_DEBUG: 'show where an unexpected failure came from',
  NO_COLOR: 'no colours',
  DISPLAY: 'whether docs opens a browser',
  WAYLAND_DISPLAY: 'whether docs opens a browser',
  SSH_CONNECTION: 'docs prints the address',
  SSH_CLIENT: 'docs prints the address',
  SSH_TTY: 'docs prints the address',
  CI: 'no browser is opened; no colours, no questions, no output that is redrawn',
  GITHUB_ACTIONS: 'true: exec ends a failed run with an annotation',
  GITHUB_STEP_SUMMARY: 'the file that exec appends the failed requests of a failed run to',
  TERM: 'dumb: no colours, no questions, no output that is redrawn',
  TERM_PROGRAM: 'whether inspect can show images',
  LC_TERMINAL: 'whether inspect can show images',
  KITTY_WINDOW_ID: 'whether inspect can show images',
  TMUX: 'how inspect reaches the clipboard',
  COLORFGBG: 'whether inspect chooses colours for a light background',
  INK_SCREEN_READER: 'true: inspect prints lines, as --linear',
  SHELL: 'the shell for env and completion',
  XDG_DATA_HOME: 'where the vault is kept, and where completions go',
  XDG_STATE_HOME: 'where locator, log and API keys of an instance are kept',
  XDG_CONFIG_HOME: 'where settings are kept, and where completions of fish go',
  XDG_CACHE_HOME: 'where Node keeps the compiled code of kyclone, from Node 22.8 on',
  BASH_COMPLETION_USER_DIR: 'where completion install puts the script of bash',
  ZDOTDIR: 'the folder of the .zshrc that completion install writes to',
};

/** An overview; `--json` and `--help` show the schemas, flags and examples. */
export function capabilitiesView(
  { name, version, commands, exit_codes: codes, environment }: Capabilities,
  style: Style,
): string {
  const commandRows = commands.map(({ id, summary, destructive }) => [
    id,
    destructive ? `${summary} (asks first)` : summary,
  ]);
  const codeRows = codes.map(({ code, meaning }) => [code, meaning]);
  const variableRows = environment.map((variable) => [variable.name, variable.meaning]);
  return [
    style.bold(`${name} ${version}`),
    table(['COMMAND', 'WHAT IT DOES'], commandRows, style, 'No commands'),
    table(['EXIT CODE', 'MEANING'], codeRows, style, 'No exit codes'),
    table(['VARIABLE', 'MEANING'], variableRows, style, 'No variables'),
    style.dim('--json shows arguments, flags, examples and output schemas too'),
  ].join('\n\n');
}

/** What a command prints; nothing for one that declares no output. `endpoint` is that of a derived command. */
export function outputsOf({
  id,
  endpoint,
}: {
  readonly id: string;
  readonly endpoint?: string;
}): readonly string[] {
  if (endpoint === undefined) return Object.hasOwn(OUTPUTS, id) ? [OUTPUTS[id] ?? []].flat() : [];
  const ofUser = endpoint.replace('/{entity}', '/users/{fp_id}');
  const ofBusiness = endpoint.replace('/{entity}', '/businesses/{fp_bid}');
  if (ofUser === ofBusiness || id.startsWith('users:')) return [ofUser];
  return id.startsWith('businesses:') ? [ofBusiness] : [ofUser, ofBusiness];
}

/**
 * A list, an object with these members (`?` ends the name of one that may be missing), a JSON Schema, or the kind of a
 * value, such as `count|null`. Members beyond those listed here may be present.
 */
type Shape =
  | string
  | readonly [Shape]
  | { readonly schema: object }
  | { readonly anyOf: readonly Shape[] }
  | { readonly [member: string]: Shape };

const KINDS = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  count: { type: 'integer', minimum: 0 },
  integer: { type: 'integer' },
  number: { type: 'number' },
  object: { type: 'object' },
  any: {},
};

/** The JSON Schema of one of the CLI's own outputs; undefined for any other. */
export function ownSchema(output: string): object | undefined {
  return Object.hasOwn(OWN_OUTPUTS, output)
    ? schemaOf(OWN_OUTPUTS[output as keyof typeof OWN_OUTPUTS])
    : undefined;
}

function schemaOf(shape: Shape): object {
  if (typeof shape === 'string') {
    const [kind, other] = shape.split('|') as [keyof typeof KINDS, string?];
    const schema: { type?: string } = KINDS[kind];
    return other === undefined ? schema : { ...schema, type: [schema.type, other] };
  }
  if (Array.isArray(shape)) return { type: 'array', items: schemaOf(shape[0] as Shape) };
  if ('schema' in shape) return shape.schema as object;
  if ('anyOf' in shape) return { anyOf: (shape.anyOf as readonly Shape[]).map(schemaOf) };
  const members = Object.entries(shape as Readonly<Record<string, Shape>>);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, one]) => [name.replace('?', ''), schemaOf(one)])),
    required: members.map(([name]) => name).filter((name) => !name.endsWith('?')),
  };
}
