/**
 * The parts of a command that users' scripts depend on: its name, aliases, arguments and flags, and their accepted
 * values.
 */

export interface ManifestArgument {
  description?: string;
  required?: boolean;
  multiple?: boolean;
  options?: readonly string[];
  default?: string | number | boolean;
}

export interface ManifestFlag extends ManifestArgument {
  type: string;
  char?: string;
  summary?: string;
  helpGroup?: string;
  helpValue?: string;
  env?: string;
  hidden?: boolean;
  aliases?: readonly string[];
  allowNo?: boolean;
}

export interface CommandManifest {
  commands: Readonly<
    Record<
      string,
      {
        id: string;
        endpoint?: string;
        summary?: string;
        description?: string;
        usage?: string;
        hidden?: boolean;
        strict?: boolean;
        enableJsonFlag?: boolean;
        aliases?: readonly string[];
        examples?: readonly string[];
        args?: Readonly<Record<string, ManifestArgument>>;
        flags?: Readonly<Record<string, ManifestFlag>>;
      }
    >
  >;
}

/** Commands by name, with a space between topic and verb; sorted alphabetically. */
export function commandSurface({ commands }: CommandManifest): Record<string, unknown> {
  const entries = Object.values(commands).map((command) => [
    command.id.replaceAll(':', ' '),
    {
      ...(command.hidden && { hidden: true }),
      ...(command.aliases?.length && { aliases: command.aliases }),
      arguments: Object.entries(command.args ?? {}).map(
        ([name, { required, options }]) =>
          (required ? name : `[${name}]`) + (options ? `=${options.join('|')}` : ''),
      ),
      ...(command.strict === false && { takesMoreArguments: true }),
      flags: Object.fromEntries(
        sorted(Object.entries(command.flags ?? {})).map(([name, flag]) => [`--${name}`, describe(flag)]),
      ),
    },
  ]);
  return Object.fromEntries(sorted(entries as [string, unknown][]));
}

function describe(flag: ManifestFlag): string {
  const words = [flag.options ? flag.options.join('|') : flag.type];
  if (flag.char) words.push(`-${flag.char}`);
  for (const alias of flag.aliases ?? []) words.push(`--${alias}`);
  if (flag.allowNo) words.push('--no-');
  for (const property of ['required', 'multiple', 'hidden'] as const)
    if (flag[property]) words.push(property);
  return words.join(' ');
}

function sorted<Value>(entries: [string, Value][]): [string, Value][] {
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
