/** Every transform for people: its arguments, and an example with computed output. */
import {
  TRANSFORM_NAMES,
  TRANSFORMS,
  type ArgumentDescription,
  type TransformDescription,
} from './catalogue.ts';
import { applyTransformsAtOnce, parseChain } from './index.ts';

export interface TransformEntry {
  readonly name: string;
  /** Its syntax: `replace('from','to')`. */
  readonly form: string;
  readonly arguments: readonly ArgumentDescription[];
  readonly description: string;
  readonly example: string;
  /** The input of the example, and its output; null when the output differs at each run. */
  readonly input: string | null;
  readonly output: string | null;
}

export function transformCatalogue(): readonly TransformEntry[] {
  return TRANSFORM_NAMES.map((name) => {
    const { input, ...described }: TransformDescription = TRANSFORMS[name];
    return {
      name,
      form: formOf(name, described.arguments),
      ...described,
      input: input ?? null,
      output:
        input === undefined ? null : (applyTransformsAtOnce(parseChain(described.example), input) as string),
    };
  });
}

function formOf(name: string, declared: readonly ArgumentDescription[]): string {
  if (declared.length === 0) return name;
  return `${name}(${declared.map((each) => (each.kind === 'string' ? `'${each.name}'` : each.name)).join(',')})`;
}
