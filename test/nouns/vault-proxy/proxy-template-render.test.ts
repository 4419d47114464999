import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import { parseTemplate } from '../../../src/nouns/vault-proxy/service/proxy-template.ts';
import { ENTITY, FORM_TYPE, JSON_TYPE, names, nastyText, parse, render, TEXT_TYPE } from './a-template.ts';
import { applied } from '../../vault/transforms/applied.ts';
import { words } from '../../support/words.ts';

describe('rendering JSON', () => {
  it.each<[string, string, JsonValue[], string]>([
    ['a text inside a string', '{"a":"x {{id.dob}} y"}', ['"}\n'], String.raw`{"a":"x \"}\n y"}`],
    ['a text as member name', '{"{{id.dob}}":1}', ['a"b'], String.raw`{"a\"b":1}`],
    ['a text outside of strings', '{"a":{{custom.a}}}', ['[1,2]'], '{"a":[1,2]}'],
    ['a list outside of strings', '{"a":{{custom.a}}}', [['b', 1]], '{"a":["b",1]}'],
    ['a wrapped text outside of strings', '[{{id.dob|wrap_quotes}}]', ['"a"b\\"'], String.raw`["a\"b\\"]`],
    ['a wrapped text inside a string', '["{{id.dob|wrap_quotes}}"]', ['"a"'], String.raw`["\"a\""]`],
    ['a text that was wrapped before', '[{{id.dob|wrap_quotes|to_lowercase}}]', ['"a"b"'], '["a"b"]'],
    ['a token behind an escaped quote', String.raw`["\"{{id.dob}}"]`, ['"'], String.raw`["\"\""]`],
    ['a token behind a closed string', String.raw`["\\",{{id.dob}}]`, ['"'], String.raw`["\\","]`],
    ['a token in a string never closed', '["a {{id.dob}}', ['"'], String.raw`["a \"`],
    [
      'several tokens in turn',
      '["{{id.dob}}",{{id.dob}},"{{id.dob}}"]',
      ['"', '"', '"'],
      String.raw`["\"",","\""]`,
    ],
  ])('render: writes %s', (_case, body, values, text) => {
    expect(render(body, values, JSON_TYPE)).toBe(text);
  });

  it.each([
    [
      'quotes of a token outside of strings',
      `[{{ id.dob | replace("-", "") }}, "{{ id.dob }}"]`,
      '[", "\\""]',
    ],
    ['an odd quote of a token', `[{{ id.dob | replace('"', '') }}, "{{ id.dob }}"]`, '[", "\\""]'],
    ['quotes as they are inside a string', `["{{ id.dob | replace("-", "") }}", {{ id.dob }}]`, '["\\"", "]'],
  ])('render: does not take %s for those of the template', (_case, body, text) => {
    expect(render(body, ['"', '"'], JSON_TYPE)).toBe(text);
  });

  it('render: takes quotes of other braces for those of the template', () => {
    expect(render('{{ "a }} {{ id.dob }}', ['"'], JSON_TYPE)).toBe(String.raw`{{ "a }} \"`);
  });

  it.each([
    String.raw`{{ id.first_name | replace(\"e\", \"\\\"\") }}`,
    String.raw`{{\n  id.first_name\n\t| replace(\u0022e\u0022, '\\\"')\r\n}}`,
    String.raw`{{\u0020\u000A id.first_name | replace('\u0065', '\\\"') }}`,
  ])('parseTemplate: reads the escapes of %s inside a JSON string', (token) => {
    const [only] = parse(`{"a":"${token}"}`, JSON_TYPE).tokens;
    expect(applied(only?.transforms[0], 'Jane')).toBe('Jan"');
  });

  it('parseTemplate: reads a token inside a JSON string as JSON wrote it', () => {
    const token = `{{\n\t${ENTITY}.id.first_name |\r\n replace("é\\"", '🦊\\\\') }}`;
    const { tokens } = parse(JSON.stringify({ a: token }), JSON_TYPE);
    expect(applied(tokens[0]?.transforms[0], 'é"')).toBe('🦊\\');
  });

  it.each([JSON_TYPE, TEXT_TYPE])(
    'parseTemplate: takes a token outside of JSON strings as it is: %s',
    (type) => {
      const [only] = parse(String.raw`[{{ id.first_name | replace('\\', '-') }}]`, type).tokens;
      expect(applied(only?.transforms[0], 'a\\b')).toBe('a-b');
    },
  );

  it.each([
    ['outside of strings', String.raw`{{\n id.dob }}`, JSON_TYPE],
    ['in a text', String.raw`"{{\n id.dob }}"`, TEXT_TYPE],
    ['before another word', String.raw`"{{\n x id.dob }}"`, JSON_TYPE],
    ['of a letter', String.raw`"{{\u0069d.dob }}"`, JSON_TYPE],
    ['of a quote', String.raw`"{{\"id.dob }}"`, JSON_TYPE],
  ])('parseTemplate: leaves braces alone that begin with an escape %s', (_case, body, contentType) => {
    expect(names(body, contentType)).toEqual([]);
  });

  it('render: a JSON reader finds the values and nothing else', () => {
    const literal = nastyText.map((text) => JSON.stringify(text.replaceAll('{', '(')).slice(1, -1));
    fc.assert(
      fc.property(
        fc.tuple(literal, literal, literal),
        fc.tuple(nastyText, nastyText, nastyText),
        ([first, second, third], [one, two, three]) => {
          const body =
            `{"a":"${first}{{ id.dob }}${second}", "{{id.ssn9 | to_ascii}}": ["${third}"], ` +
            `"b": {{ custom.b | wrap_quotes }}}`;
          const parsed = (text: string): unknown => JSON.parse(`"${text}"`);
          expect(JSON.parse(render(body, [one, two, `"${three}"`], JSON_TYPE))).toEqual(
            Object.fromEntries([
              ['a', `${String(parsed(first))}${one}${String(parsed(second))}`],
              [two, [parsed(third)]],
              ['b', three],
            ]),
          );
        },
      ),
    );
  });

  it('render: gives the document back when its strings are the values', () => {
    const documents = fc.jsonValue({
      maxDepth: 2,
      stringUnit: fc.constantFrom('"', '\\', 'a', '}', '\n', '🦊'),
    });
    fc.assert(
      fc.property(documents, (document) => {
        const values: string[] = [];
        const template = JSON.stringify(document, (_name, value: unknown) => {
          if (typeof value !== 'string') return value;
          values.push(value);
          return '{{ id.dob }}';
        });
        fc.pre(values.length <= 100);
        expect(JSON.parse(render(template, values, JSON_TYPE))).toEqual(JSON.parse(JSON.stringify(document)));
      }),
    );
  });
});

it('render: a form reader finds the values and nothing else', () => {
  fc.assert(
    fc.property(nastyText, nastyText, nastyText, (one, two, three) => {
      const body = 'a={{ id.dob }}&b=x{{id.ssn9}}{{id.ssn4}}y&{{id.city}}=1';
      const form = new URLSearchParams(render(body, [one, two, three, one], FORM_TYPE));
      expect([...form]).toEqual([
        ['a', one],
        ['b', `x${two}${three}y`],
        [one, '1'],
      ]);
    }),
  );
});

describe('rendering', () => {
  it.each([
    ['text', TEXT_TYPE],
    ['no content type', undefined],
    ['markup', 'application/xml'],
  ])('render: writes values as they are into %s', (_case, contentType) => {
    const options = { contentType, defaultEntity: ENTITY };
    const template = parseTemplate(
      Buffer.from('<a b="{{ id.dob }}">{{ custom.a | wrap_quotes }}</a>'),
      options,
    );
    expect(template.render(['"é&', '"x"']).toString()).toBe('<a b=""é&">"x"</a>');
  });

  it('render: writes lists and numbers as compact JSON into text', () => {
    expect(render('{{ custom.a }}/{{ custom.b }}', [{ a: [1, null] }, 0.5])).toBe('{"a":[1,null]}/0.5');
  });

  it.each(['$&', '$1', '$$', "$'", '$`', '$<a>'])('render: takes %s for text', (value) => {
    expect(render('a{{ id.dob }}b', [value])).toBe(`a${value}b`);
  });

  it('render: searches no value for tokens', () => {
    const value = '{{ id.ssn9 }}';
    expect(render('{{ id.dob }}{{ id.dob }}', [value, '}}'])).toBe('{{ id.ssn9 }}}}');
    expect(render('{{{ id.dob }}id.ssn9 }}', ['{'])).toBe('{{id.ssn9 }}');
  });

  it('render: can be called again with other values', () => {
    const template = parse('a {{ id.dob }}');
    expect(template.render(['1']).toString()).toBe('a 1');
    expect(template.render(['2']).toString()).toBe('a 2');
  });

  it('render: gives a body without tokens back', () => {
    expect(parse('').render([])).toEqual(Buffer.alloc(0));
    expect(render('{{ x }} {{ id.dob', [])).toBe('{{ x }} {{ id.dob');
  });

  it('render: wants a value for each token', () => {
    expect(() => parse('{{ id.dob }}{{ id.ssn9 }}').render(['1'])).toThrow('a value for each');
  });

  it('render: changes no byte outside of tokens', () => {
    const pieces = words`{ } {{ }} {{x}} " \0 \x80 \xff \xc3 \xa9 \x81 \xfe | % id.`;
    const literal = fc.string({ unit: fc.constantFrom('{{ x }}', ' ', '\n', ...pieces) });
    // Braces that begin a token of their own have tests of their own.
    const literals = fc
      .array(literal, { minLength: 1, maxLength: 6 })
      .filter((list) => list.every((text) => !/\{\{\s*id\./.test(text)));
    const types = fc.constantFrom(JSON_TYPE, FORM_TYPE, TEXT_TYPE);
    fc.assert(
      fc.property(
        literals,
        types,
        fc.array(fc.stringMatching(/^[0-9]*$/), { minLength: 5, maxLength: 5 }),
        (texts, type, values) => {
          const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
          const body = bytes(texts.join('{{ id.dob }}'));
          const template = parse(body, type);
          expect(template.tokens).toHaveLength(texts.length - 1);
          const expected = texts.map((text, index) =>
            index === 0 ? text : `${values[index - 1] ?? ''}${text}`,
          );
          expect(template.render(values).equals(bytes(expected.join('')))).toBe(true);
        },
      ),
    );
  });

  it('parseTemplate: gives a template that renders, or one of three refusals, for any body', () => {
    const tokens = ['{{ id.dob', '{{ id.dob }}', `{{ ${ENTITY}.custom.a | wrap_quotes }}`];
    const pieces = words`{{ }} { } " \\ \\u00 | ' : x id.dob \xff \\n`.concat(tokens, ' ', '\n');
    const bodies = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 14 });
    const types = fc.constantFrom(JSON_TYPE, FORM_TYPE, TEXT_TYPE);
    const halves = fc.constantFrom('\ud83e', 'a\udd8a"', '', '"a"');
    const value = fc.oneof(nastyText, halves, fc.jsonValue({ maxDepth: 2 })) as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(bodies, types, fc.array(value, { minLength: 14, maxLength: 14 }), (body, type, values) => {
        try {
          expect(parse(Buffer.from(body, 'latin1'), type).render(values)).toBeInstanceOf(Buffer);
        } catch (error) {
          expect(['proxy_token_invalid', 'transform_invalid']).toContain((error as { code?: string }).code);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

it.each([['application/json'], ['application/x-www-form-urlencoded'], ['text/plain']])(
  'pieces: a large value goes into %s in pieces of a bounded size, so that others have their turns',
  (type) => {
    const template = parse('{"a":"{{ id.city }}"}', type);
    const value = '"é🦊'.repeat(500_000);
    const pieces = [...template.pieces([value])] as Buffer[];
    expect(pieces.length).toBeGreaterThan(7);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(2 ** 18 * 12);
    expect(Buffer.concat(pieces).equals(template.render([value]))).toBe(true);
  },
);
