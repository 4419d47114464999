/**
 * Generates `dist/capabilities.json`, which `kyclone capabilities` prints: the commands of the manifest with the
 * schemas of their output. The build takes the schemas from the contract, so that the CLI loads no schema library.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT_VARIABLES, type Capabilities } from '../cli/capabilities/document.ts';
import { outputsOf, PRINTS_LINES } from '../cli/capabilities/outputs.ts';
import { OWN_OUTPUTS } from '../cli/capabilities/own-outputs.ts';
import { mayRunDry } from '../cli/shell/dry-run-commands.ts';
import { EXIT, EXIT_MEANINGS, SIGNAL_EXIT_BASE } from '../cli/shell/exit-codes.ts';
import { plain } from '../contract/json-schema.ts';
import { endpoints, splitKey } from '../contract/registry.ts';

/** Omitted for commands that refuse these flags. */
const DRY_RUN_FLAGS: ReadonlySet<string> = new Set(['dry-run', 'with-values']);

interface ManifestCommand {
  readonly id: string;
  readonly endpoint?: string;
  readonly hidden?: boolean;
  readonly strict?: boolean;
  readonly summary?: string;
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly args?: Readonly<Record<string, Described>>;
  readonly flags?: Readonly<Record<string, Described>>;
}
interface Described {
  readonly [member: string]: unknown;
  readonly hidden?: boolean;
}

export function writeCapabilities(root: string): void {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const { commands } = read('oclif.manifest.json') as { commands: Record<string, ManifestCommand> };
  const { name, version } = read('package.json') as { name: string; version: string };
  const document = capabilities({ name, version, commands: Object.values(commands) });
  writeFileSync(join(root, 'dist', 'capabilities.json'), `${JSON.stringify(document)}\n`);
}

/** Throws for an unknown endpoint. A command without a declared output prints free text. */
export function capabilities(source: {
  name: string;
  version: string;
  commands: readonly ManifestCommand[];
}): Capabilities {
  const schemas = new Map<string, object>();
  const reference = (output: string) => {
    const name = schemaName(output);
    schemas.set(name, schemaOf(output));
    return { $ref: `#/output_schemas/${name}` };
  };
  const commands = source.commands
    .filter(({ hidden }) => hidden !== true)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((command) => {
      const outputs = outputsOf(command);
      const [first = 'any'] = outputs;
      return {
        id: command.id.replaceAll(':', ' '),
        summary: command.summary ?? '',
        description: command.description ?? null,
        args: Object.entries(command.args ?? {}).map(([name, arg]) => ({
          name,
          summary: arg['description'] ?? '',
          required: arg['required'] === true,
          multiple: arg['multiple'] === true,
          options: arg['options'] ?? null,
          default: arg['default'] ?? null,
        })),
        takes_more_args: command.strict === false,
        flags: Object.entries(command.flags ?? {})
          .filter(([, { hidden }]) => hidden !== true)
          .filter(([name]) => mayRunDry(command.id) || !DRY_RUN_FLAGS.has(name))
          .map(([name, flag]) => ({
            name,
            char: flag['char'] ?? null,
            type: flag['type'],
            summary: flag['summary'] ?? flag['description'] ?? '',
            value: flag['helpValue'] ?? null,
            options: flag['options'] ?? null,
            env: flag['env'] ?? null,
            default: flag['default'] ?? null,
            required: flag['required'] === true,
            multiple: flag['multiple'] === true,
          })),
        examples: (command.examples ?? []).map((text) => text.replaceAll('<%= config.bin %>', 'kyclone')),
        destructive: command.flags !== undefined && 'yes' in command.flags,
        dry_run: mayRunDry(command.id),
        output: {
          format: PRINTS_LINES.has(command.id) ? ('ndjson' as const) : ('json' as const),
          schema: outputs.length <= 1 ? reference(first) : { anyOf: outputs.map(reference) },
        },
      };
    });
  return {
    name: source.name,
    version: source.version,
    commands,
    exit_codes: [
      ...Object.entries(EXIT).map(([name, code]) => ({
        code,
        meaning: EXIT_MEANINGS[name as keyof typeof EXIT],
      })),
      { code: SIGNAL_EXIT_BASE, meaning: 'plus the number of the signal that ended the command' },
    ],
    environment: Object.entries(ENVIRONMENT_VARIABLES).map(([name, meaning]) => ({ name, meaning })),
    output_schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    api: {
      openapi: '/_kyclone/openapi.json',
      docs: '/_kyclone/docs',
      endpoints: endpoints.map(({ key, summary, stability }) => ({ ...splitKey(key), summary, stability })),
    },
  };
}

function schemaOf(output: string): object {
  if (output in OWN_OUTPUTS) return OWN_OUTPUTS[output as keyof typeof OWN_OUTPUTS];
  const endpoint = endpoints.find(({ key }) => key === output);
  if (endpoint === undefined) throw new Error(`no endpoint ${output}`);
  return plain(endpoint.response);
}

/** Turns `GET /users/{fp_id}` into `get_users_fp_id`, which needs no escaping in a reference. */
function schemaName(output: string): string {
  return output
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}
