/**
 * HTML from templates in which every interpolated text is escaped. Only markup made by `html` goes in unescaped, so a
 * hostile word of the vocabulary stays text wherever it turns up.
 */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Interpolated = Markup | string | number | false | undefined | readonly Interpolated[];

export function html(literals: TemplateStringsArray, ...values: readonly Interpolated[]): Markup {
  let text = literals[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (literals[index + 1] ?? '');
  return new Markup(text);
}

function render(value: Interpolated): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe as element content and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
