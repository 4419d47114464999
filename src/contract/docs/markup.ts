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

/** Lines of a template lose the blanks that they begin with: the page is half as long. Values keep theirs. */
export function html(literals: TemplateStringsArray, ...values: readonly Interpolated[]): Markup {
  let text = unindented(literals[0]);
  for (const [index, value] of values.entries()) text += render(value) + unindented(literals[index + 1]);
  return new Markup(text);
}

/** Blocks of the page: line ends before them mean nothing. */
const LINE_ENDS_BEFORE_BLOCK =
  /\n(?=<\/?(?:body|dd|details|div|dl|dt|h[1-6]|head|header|li|link|main|meta|nav|ol|p|pre|section|summary|table|tbody|td|th|thead|title|tr|ul)\b)/g;
/** Line ends and blanks after the start of a block mean nothing either, nor does a line break at its end. */
const LINE_ENDS_IN_BLOCK = /(<(?:dd|details|div|dl|li|main|section|summary|td|ul)(?: [^<>]*)?>)[\n ]+/g;
const LAST_BREAKS = /<br \/>(?=<\/(?:p|dd|td)>)/g;
/** End tags that HTML lets a page leave out. */
const IMPLIED_END =
  /<\/(?:dd|dt|li|tbody|td|th|thead|tr)>|<\/p>(?=<(?:\/dd|\/div|\/li|\/summary|\/td|\/ul|div|dl|h[1-6]|li|p|pre|section|table|ul)\b)/g;

/** The same page in fewer bytes. Texts are escaped, so no tag is found in one. */
export function compact(page: string): string {
  return page
    .replace(LINE_ENDS_BEFORE_BLOCK, '')
    .replace(LINE_ENDS_IN_BLOCK, '$1')
    .replace(LAST_BREAKS, '')
    .replace(IMPLIED_END, '')
    .replace(/<br \/>/g, '<br>')
    .replace(/<[a-z][^<>]*>/g, withPlainAttributes)
    .replace(/>[^<>]+</g, withPlainQuotes);
}

/** A value of letters, digits and a few marks needs no quotes. */
function withPlainAttributes(tag: string): string {
  return tag.replace(/="([A-Za-z0-9_.#:-]+)"/g, '=$1');
}

/** Quotes need no escaping outside of attributes. */
function withPlainQuotes(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

function unindented(literal = ''): string {
  return literal.replace(/\n[\n ]*/g, '\n');
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
