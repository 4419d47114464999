/** Values that a recording doesn't keep: each becomes a variable that must be given. */
import { writeReference } from '../../client/fixtures/references.ts';

/** Members that hold a person's or a company's data, or a key of the caller's, by name. */
const HOLDS_DATA =
  /^(?:(?:id|business|card|bank|custom|investor_profile|document)\..+|search|equals|signing_key|first_name|last_name|email|phone_number)$/;

export interface Variables {
  /** A variable for a value; the same one for the same value. */
  variableFor(value: string, name: string): string;
  /** A variable of this name, made once. */
  named(name: string): string;
  readonly names: readonly string[];
}

export function variables(): Variables {
  const byValue = new Map<string, string>();
  const names = new Set<string>();

  function fresh(wanted: string): string {
    const base = wanted.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    let name = base;
    for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
    names.add(name);
    return name;
  }

  return {
    variableFor(value, name) {
      let known = byValue.get(value);
      if (known === undefined) byValue.set(value, (known = fresh(name)));
      return writeReference('set', [known]);
    },
    named(name) {
      names.add(name);
      return writeReference('set', [name]);
    },
    get names() {
      return [...names];
    },
  };
}

/** The body with variables in the place of data; `rewrite` says what becomes of other texts. */
export function maskedBody(
  body: unknown,
  { step, made, rewrite }: { step: string; made: Variables; rewrite: (text: string) => string },
): unknown {
  const walk = (value: unknown, name: string, isData: boolean): unknown => {
    if (typeof value === 'string')
      return isData ? made.variableFor(value, `${step}_${name}`) : rewrite(value);
    if (isData && typeof value === 'number') return made.variableFor(String(value), `${step}_${name}`);
    if (Array.isArray(value)) return value.map((entry) => walk(entry, name, isData));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, entry]) => [
        member,
        // A member of data that is an object keeps its numbers: what they mean is not a text.
        walk(
          entry,
          isData ? `${name}_${member}` : member,
          HOLDS_DATA.test(member) || (isData && typeof entry === 'string'),
        ),
      ]),
    );
  };
  return walk(body, 'body', false);
}
