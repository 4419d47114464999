import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { curlExample } from '../../src/contract/docs/curl.ts';
import { escapeHtml, html } from '../../src/contract/docs/markup.ts';
import { schemaRows, typeName } from '../../src/contract/docs/schema-rows.ts';
import { docsPage, DOCS_PAGE_POLICY } from '../../src/contract/docs-page.ts';
import { endpoint, secretKey } from '../../src/contract/endpoint.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { DEFAULT_SETTINGS } from '../../src/contract/settings.ts';

const BASE_URL = 'http://127.0.0.1:4010';
const { vocabulary } = DEFAULT_SETTINGS;
const page = docsPage(openApiDocument({ vocabulary, version: '1.2.3', baseUrl: BASE_URL }));

/** The page as a reader sees it: no tags, entities resolved. */
function textOf(markup: string): string {
  return markup
    .replace(/<style>[\s\S]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

describe('docsPage', () => {
  test('docsPage: every endpoint has its method, path, summary and an anchor that the contents link to', () => {
    const articles = page.split('<details class="endpoint">').slice(1);

    expect(articles.length).toBe(endpoints.length);
    for (const { key, summary } of endpoints) {
      const { method, path } = splitKey(key);
      const article = articles.find(
        (each) =>
          textOf(each).replace(/\s+/g, '').startsWith(`${method}${path}`.replace(/\s+/g, '')) &&
          textOf(each).includes(summary),
      );
      expect(article, key).toBeDefined();
      const id = /<div class="body" id="([^"]+)"/.exec(article ?? '')?.[1] ?? '';
      expect(page, key).toContain(`href="#${id}"`);
    }
  });

  test('docsPage: what an endpoint needs, takes and may answer is in its article', () => {
    const article = page
      .split('<details class="endpoint">')
      .find((each) => each.includes('id="postUsersByFpIdVaultIntegrity"'));
    const text = textOf(article ?? '');

    for (const expected of [
      'preview:vault_integrity',
      'secret key, by Basic or header',
      '262,144 bytes',
      'signing_key',
      'hex, 2 to 512 characters',
      'permission_denied',
      'sandbox vs live key?',
      'null for absent data',
      'curl -X POST',
      '-u "$KYCLONE_API_KEY:"',
    ]) {
      expect(text).toContain(expected);
    }
  });

  test('docsPage: the error table and the assumptions are complete', () => {
    const text = textOf(page);

    for (const [code, { meaning }] of Object.entries(ERRORS)) {
      expect(text).toContain(code);
      expect(text).toContain(meaning);
    }
    for (const { what } of endpoints.flatMap(({ assumed }) => assumed ?? [])) expect(text).toContain(what);
  });

  test('docsPage: loads nothing and runs nothing', () => {
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b/i);
    expect(page).not.toMatch(/\b(src|srcset|action)\s*=/i);
    expect(page).not.toMatch(/\son[a-z]+\s*=/i);
    expect(page).not.toMatch(/@import|url\(/i);
    const urls = page.match(/https?:\/\/[^\s"'<&]*/g) ?? [];
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(url.startsWith(BASE_URL), url).toBe(true);
    expect(DOCS_PAGE_POLICY).toContain("default-src 'none'");
    expect(DOCS_PAGE_POLICY).not.toContain('script');
  });

  test('docsPage: has its landmarks, one first heading, headings without gaps and no id twice', () => {
    expect(page).toMatch(/^<!doctype html>/);
    for (const landmark of ['<html lang="en">', '<main id="content">', '<nav aria-label=', '<header']) {
      expect(page).toContain(landmark);
    }
    const levels = [...page.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    for (const [index, level] of levels.entries()) {
      expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1);
    }
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target = ''] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test('docsPage: hostile words of the vocabulary stay text', () => {
    const hostile = `'"><script>alert(1)</script><img src=x onerror=alert(1)>&`;
    const definition = endpoint('POST /users/{fp_id}/integrations/{partner_a}/report', {
      auth: secretKey(),
      stability: 'stable',
      query: Type.Object({ [hostile]: Type.String({ description: hostile }) }),
      body: Type.Object({ [hostile]: Type.String({ pattern: hostile }) }),
      response: Type.Object({ [hostile]: Type.Literal(hostile) }),
      errors: [],
      summary: hostile,
      assumed: [{ what: hostile, why: hostile }],
    });
    const document = openApiDocument({
      vocabulary: { secret_key_header: hostile, partner_a: hostile, partner_b: hostile },
      version: hostile,
      baseUrl: `http://localhost/${hostile}`,
      endpoints: [definition],
    });
    const attacked = docsPage(document);

    expect(attacked).not.toMatch(/<script|<img/i);
    expect(attacked).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(attacked).toContain('%3Cscript%3E');
    // No quote of a word ends an attribute early: every tag is made of plain attributes.
    for (const tag of attacked.replace(/<style>[\s\S]*?<\/style>/, '').match(/<[a-z][^>]*>/gi) ?? []) {
      expect(tag).toMatch(/^<[a-z][a-z0-9]*(\s+[a-z-]+(="[^"<>]*")?)*\s*\/?>$/i);
    }
  });
});

describe('html', () => {
  test('html: escapes text, keeps markup, joins lists, leaves out false and undefined', () => {
    expect(html`<p title="${'"'}">${['<', html`<b>${'&'}</b>`]}${false}${undefined}${7}</p>`.text).toBe(
      '<p title="&quot;">&lt;<b>&amp;</b>7</p>',
    );
  });

  test('escapeHtml: all five characters that can end a text or an attribute', () => {
    expect(escapeHtml(`<>&"'`)).toBe('&lt;&gt;&amp;&quot;&#39;');
  });
});

describe('schemaRows', () => {
  test('schemaRows: members by path, through lists and nullable objects', () => {
    const schema = Type.Object({
      data: Type.Array(Type.Object({ id: Type.String({ minLength: 1, maxLength: 9 }) })),
      meta: Type.Optional(Type.Union([Type.Object({ next: Type.Null() }), Type.Null()])),
    });

    expect(schemaRows(schema)).toEqual([
      { member: 'data', type: 'list of object', required: true, rules: '' },
      {
        member: 'data[].id',
        type: 'string',
        required: true,
        rules: 'at least 1 characters; at most 9 characters',
      },
      { member: 'meta', type: 'object or null', required: false, rules: '' },
      { member: 'meta.next', type: 'null', required: true, rules: '' },
    ]);
  });

  test.each([
    [Type.Record(Type.String(), Type.Boolean()), 'map of boolean'],
    [Type.Unknown(), 'any JSON'],
    [Type.Literal('ok'), '"ok"'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), '"a" or "b"'],
    [Type.Unsafe({ type: 'string', enum: ['a', 'b'] }), '"a" | "b"'],
  ])('typeName: %j is %s', (schema, expected) => {
    expect(typeName(schema)).toBe(expected);
  });
});

describe('curlExample', () => {
  test('curlExample: a quote in the data stays inside its word', () => {
    const operation = openApiDocument({ vocabulary, version: '1', baseUrl: BASE_URL }).paths['/users']?.[
      'post'
    ];
    if (!operation) throw new Error('no POST /users');
    const line = curlExample({ baseUrl: BASE_URL, method: 'post', path: "/it's/{id}", operation });

    expect(line.split(' \\\n  ')).toEqual([
      `curl -X POST '${BASE_URL}/it'\\''s/ID'`,
      '-u "$KYCLONE_API_KEY:"',
      "-H 'content-type: application/json'",
      `-d '{"id.first_name":"Jane","id.last_name":"Doe"}'`,
    ]);
  });
});
