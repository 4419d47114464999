import type { Capabilities } from './document.ts';
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

/** An overview; the schemas, flags and examples are for `--json` and `--help`. */
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
    style.dim('--json tells arguments, flags, examples and output schemas too'),
  ].join('\n\n');
}
