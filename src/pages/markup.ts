/**
 * HTML from templates in which every interpolated text is escaped. Only markup from `html` is inserted unescaped, so a
 * hostile vocabulary word stays text wherever it is used.
 */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Interpolated = Markup | string | number | false | undefined | readonly Interpolated[];

/** Removes the indentation of template lines, which halves the size of the page. Values keep their blanks. */
export function html(literals: TemplateStringsArray, ...values: readonly Interpolated[]): Markup {
  let text = unindented(literals[0]);
  for (const [index, value] of values.entries()) text += render(value) + unindented(literals[index + 1]);
  return new Markup(text);
}

/** Block elements, before which line breaks have no meaning. */
const LINE_ENDS_BEFORE_BLOCK =
  /\n(?=<\/?(?:body|dd|details|div|dl|dt|h[1-6]|head|header|li|link|main|meta|nav|ol|p|pre|section|summary|table|tbody|td|th|thead|title|tr|ul)\b)/g;
/** Line breaks and blanks after a block's start tag, and a line break before its end tag, have no meaning either. */
const LINE_ENDS_IN_BLOCK = /(<(?:dd|details|div|dl|li|main|section|summary|td|ul)(?: [^<>]*)?>)[\n ]+/g;
const LAST_BREAKS = /<br \/>(?=<\/(?:p|dd|td)>)/g;
/** Optional end tags in HTML. */
const IMPLIED_END =
  /<\/(?:dd|dt|li|tbody|td|th|thead|tr)>|<\/p>(?=<(?:\/dd|\/div|\/li|\/summary|\/td|\/ul|div|dl|h[1-6]|li|p|pre|section|table|ul)\b)/g;

/** Minifies the page. Texts are escaped, so they contain no tags. */
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

/** Attribute values of letters, digits and a few other characters need no quotes. */
function withPlainAttributes(tag: string): string {
  return tag.replace(/="([A-Za-z0-9_.#:-]+)"/g, '=$1');
}

/** Quotes need no escaping outside attributes. */
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
