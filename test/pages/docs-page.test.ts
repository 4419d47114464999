import { createHash } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { curlExample } from '../../src/pages/docs/endpoint-section.ts';
import { escapeHtml, html } from '../../src/pages/markup.ts';
import { schemaRows, typeName } from '../../src/pages/docs/schema-rows.ts';
import { docsPage, DOCS_PAGE_POLICY } from '../../src/pages/docs-page.ts';
import { endpoint, secretKey } from '../../src/contract/endpoint.ts';
import { ERRORS, type ErrorEntry } from '../../src/contract/errors.ts';
import { plain } from '../../src/contract/json-schema.ts';
import { CONVENTIONS } from '../../src/contract/openapi-words.ts';
import { openApiDocument, pathWithWords } from '../../src/contract/openapi.ts';
import { endpoints, splitKey } from '../../src/contract/registry.ts';
import { DEFAULT_SETTINGS } from '../../src/nouns/settings/endpoints/index.ts';
import { FileContent } from '../../src/contract/shapes.ts';
import { docsReference } from '../../src/nouns/control/service/docs-reference.ts';
import { words } from '../support/words.ts';

const BASE_URL = 'http://127.0.0.1:4010';
const { vocabulary } = DEFAULT_SETTINGS;
const reference = docsReference(vocabulary);
const served = docsPage(openApiDocument({ vocabulary, version: '1.2.3', baseUrl: BASE_URL }), reference);
const page = withQuotes(served);

/** Adds quotes to all values of attributes. The page leaves out the quotes that HTML allows it to leave out. */
function withQuotes(markup: string): string {
  return markup.replace(/<[a-z][^<>]*>/g, (tag) => tag.replace(/=([A-Za-z0-9_.#:-]+)(?=[ >])/g, '="$1"'));
}

/** Returns the page as a reader sees it: without tags, with entities resolved. */
function textOf(markup: string): string {
  return markup
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<(?:dd|dt|li|p|td|th|tr|h\d)\b[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Returns the page's text about one endpoint. */
function articleOf(operationId: string): string {
  const article = page.split('<details>').find((each) => each.includes(`<div id="${operationId}">`));
  return textOf(article ?? '').replace(/\s+/g, ' ');
}

describe('docsPage', () => {
  test('docsPage: no word runs into a link or a name beside it', () => {
    const prose = served.replace(/<(style|script|pre)\b[\s\S]*?<\/\1>/g, '');

    expect(prose.match(/.{0,30}[a-z]<\/(?:a|code|span)>[a-z].{0,20}/g)).toBeNull();
    expect(prose.match(/.{0,30}[a-z,;]<(?:a|code|span)\b[^>]*>\w.{0,20}/g)).toBeNull();
  });

  test('docsPage: every endpoint has its method, path, summary and an anchor that the contents link to', () => {
    const [calls = ''] = page.split('id="identifiers"');
    const articles = calls.split('<details>').slice(1);

    expect(articles.length).toBe(endpoints.length);
    for (const { key, summary } of endpoints) {
      const { method, path } = splitKey(pathWithWords(key, DEFAULT_SETTINGS.vocabulary) as typeof key);
      const article = articles.find(
        (each) =>
          textOf(each).replace(/\s+/g, '').startsWith(`${method}${path}`.replace(/\s+/g, '')) &&
          textOf(each).includes(summary),
      );
      expect(article, key).toBeDefined();
      const id = /<div id="([^"]+)"/.exec(article ?? '')?.[1] ?? '';
      expect(page, key).toContain(`href="#${id}"`);
    }
  });

  test.each([
    [
      'what it needs, takes and may answer',
      'computeUserVaultIntegrity',
      [
        'preview:vault_integrity',
        'secret key, by Basic or header',
        '262,144 bytes',
        'permission_denied',
        'null for absent data',
        'curl -X POST',
        '-u "$KYCLONE_API_KEY:"',
      ],
    ],
    [
      'the header of client tokens, and the scopes that may call',
      'decryptVault',
      [
        'Credential client token, in its header',
        'Token scope decrypt | vault_and_decrypt',
        'Access log a refusal is an entry, too: decrypt',
        'token_expired',
        "-H 'x-fp-authorization: TOKEN'",
        'header x-fp-vault-version',
      ],
    ],
    [
      'the token in its path',
      'downloadVaultFile',
      [
        'Credential path token',
        'Token scope decrypt_download',
        'application/octet-stream: bytes; header content-disposition',
        '-o FILE',
      ],
    ],
    [
      'both forms of an upload, and their limit',
      'uploadUserVaultFile',
      [
        '10,485,760 bytes',
        'application/octet-stream, required: bytes',
        'multipart/form-data, required: object',
        'upload_file',
        'its content type is stored',
        'The bytes with any content type, which is stored',
        '--data-binary @front.png',
      ],
    ],
  ])('docsPage: the article of an endpoint shows %s', (_, operation, texts) => {
    for (const text of texts) expect(articleOf(operation)).toContain(text);
  });

  test('docsPage: a link with a token in its path asks for no header', () => {
    expect(articleOf('downloadVaultFile')).not.toContain('x-fp-authorization');
  });

  test('docsPage: a named schema is shown once, and linked from where it is used', () => {
    expect(page).toContain('href="#schema-EntityReference"');
    expect(articleOf('schema-EntityReference')).toContain('external_id string or null');
    expect(articleOf('computeUserVaultIntegrity')).toContain('IntegrityRequest');
    expect(articleOf('schema-IntegrityRequest')).toContain('hex, 2 to 512 characters');
  });

  test('docsPage: the start shows every credential, how a token is made and how a file goes in', () => {
    const start = textOf(/<section aria-labelledby="start">[\s\S]*?<\/section>/.exec(page)?.[0] ?? '');

    for (const expected of [
      'header x-service-secret-key',
      'header x-fp-authorization',
      'the segment {token} of the path',
      '/users/FP_ID/client_token',
      "-H 'x-fp-authorization: TOKEN'",
      '/users/vault/decrypt/TOKEN',
      "-H 'content-type: image/png' --data-binary @front.png",
      "-F 'upload_file=@front.png;type=image/png'",
    ]) {
      expect(start).toContain(expected);
    }
  });

  test('docsPage: the assumptions are complete', () => {
    const text = textOf(page);
    const assumptions = [...endpoints.flatMap(({ assumed }) => assumed ?? []), ...CONVENTIONS];
    for (const { what } of assumptions) expect(text).toContain(what);
  });

  test('docsPage: loads nothing, and runs its own script only', () => {
    const markup = page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
    expect(markup).not.toMatch(/<(script|img|iframe|object|embed|form|base)\b/i);
    expect(markup.match(/<link\b[^>]*>/g)).toEqual(['<link rel="icon" href="data:," />']);
    expect(markup).not.toMatch(/\b(src|srcset|action|style)\s*=/i);
    expect(markup).not.toMatch(/\son[a-z]+\s*=/i);
    expect(page).not.toMatch(/@import|url\(/i);
    const urls = page.match(/https?:\/\/[^\s"'<&]*/g) ?? [];
    expect(urls.length).toBeGreaterThan(0);
    const examples = ['https://acme.example', 'https://api.example.com/checks'];
    for (const url of urls) expect(url.startsWith(BASE_URL) || examples.includes(url), url).toBe(true);
  });

  test('docsPage: the policy admits the script and the style of the page by their hashes, and nothing else', () => {
    const hashOf = (element: string) => {
      const [, text = ''] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page) ?? [];
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    };
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(DOCS_PAGE_POLICY.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf('script')}`,
      `style-src ${hashOf('style')}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  test('docsPage: is under 500 KiB', () => {
    expect(Buffer.byteLength(served)).toBeLessThan(500 * 1_024);
  });

  test('docsPage: every identifier, transform, event, reason code and error has a row of its own', () => {
    const rowOf = (id: string): string => {
      const [, row = ''] = page.split(` id="${id}">`);
      return textOf(row.split(/<tr|<\/tbody>|<\/pre>/)[0] ?? '');
    };
    for (const { identifier, rule, example, masked } of reference.identifiers) {
      const row = rowOf(`identifier-${identifier.replace(/[<>]/g, '')}`);
      expect(row, identifier).toContain(identifier);
      expect(row, identifier).toContain(rule);
      if (typeof example === 'string' && example.length < 40) expect(row, identifier).toContain(example);
      if (masked.length < 40) expect(row, identifier).toContain(masked);
    }
    for (const { name, form, example } of reference.transforms) {
      expect(rowOf(`transform-${name}`)).toContain(form);
      expect(rowOf(`transform-${name}`)).toContain(example);
    }
    for (const { kind, body } of reference.events) {
      const sample = rowOf(`event-${kind}`);
      expect(JSON.parse(sample.slice(sample.indexOf('{')))).toEqual(body);
    }
    for (const { reason_code: code, description, severity } of reference.reasonCodes) {
      expect(rowOf(`reason-${code}`)).toContain(description);
      expect(rowOf(`reason-${code}`)).toContain(severity);
    }
    for (const [code, { meaning, hint }] of Object.entries<ErrorEntry>(ERRORS)) {
      expect(rowOf(`error-${code}`)).toContain(meaning);
      expect(rowOf(`error-${code}`)).toContain(hint ?? '');
    }
  });

  test('docsPage: the sections have the anchors that links from elsewhere name', () => {
    const anchors = words`start identifiers transforms events signatures reason-codes errors assumptions`;
    for (const anchor of anchors) {
      expect(page).toContain(`<h${anchor === 'start' ? 1 : 2} id="${anchor}">`);
      expect(page).toContain(`<a href="#${anchor}">`);
    }
  });

  test('docsPage: the events and headers are in the words of the instance', () => {
    const other = { ...vocabulary, event_prefix: 'acme', webhook_style: 'svix' as const };
    const document = openApiDocument({ vocabulary: other, version: '1', baseUrl: BASE_URL });
    const translated = docsPage(document, docsReference(other));

    expect(translated).toContain('acme.onboarding.completed');
    expect(translated).not.toContain('service.onboarding.completed');
    expect(textOf(translated)).toContain('headers[`svix-${part}`]');
    expect(textOf(translated)).toContain('"svix-" + part');
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
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const [, target = ''] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test('docsPage: hostile words of the vocabulary stay text', () => {
    const hostile = `'"><script>alert(1)</script><img src=x onerror=alert(1)>&`;
    const definition = endpoint('POST /users/{fp_id}/integrations/{partner_a}/report', {
      operationId: 'createUserReport',
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
      vocabulary: { ...vocabulary, secret_key_header: hostile, partner_a: hostile, partner_b: hostile },
      version: hostile,
      baseUrl: `http://localhost/${hostile}`,
      endpoints: [definition],
    });
    const attacked = docsPage(document, docsReference({ ...vocabulary, event_prefix: hostile }));

    expect(attacked.replace(/<script>[\s\S]*?<\/script>/, '')).not.toMatch(/<script|<img/i);
    expect(attacked).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(attacked).toContain('%3Cscript%3E');
    // No quote in a vocabulary word ends an attribute early, so every tag consists of plain attributes.
    for (const tag of attacked.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '').match(/<[a-z][^>]*>/gi) ?? []) {
      expect(tag).toMatch(/^<[a-z][a-z0-9]*(\s+[a-z-]+(=(?:"[^"<>]*"|[A-Za-z0-9_.#:-]+))?)*\s*\/?>$/i);
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

    expect(schemaRows(plain(schema), {})).toEqual([
      { member: 'data', type: 'list of object', required: true, rules: '' },
      { member: 'data[].id', type: 'string', required: true, rules: 'at most 9 characters' },
      { member: 'meta', type: 'object or null', required: false, rules: '' },
      { member: 'meta.next', type: 'null', required: true, rules: '' },
    ]);
  });

  test.each([
    [Type.Record(Type.String(), Type.Boolean()), 'map of boolean'],
    [Type.Unknown(), 'any JSON'],
    [Type.Literal('ok'), '"ok"'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), '"a" | "b"'],
    [Type.Unsafe({ type: 'string', enum: ['a', 'b'] }), '"a" | "b"'],
    [FileContent, 'bytes'],
  ])('typeName: %j is %s', (schema, expected) => {
    expect(html`${typeName(plain(schema), {})}`.text.replaceAll('&quot;', '"')).toBe(expected);
  });
});

describe('curlExample', () => {
  /** Returns the curl call of the docs, one option a line. */
  function curlLines(method: string, path: string, shownPath = path): string[] {
    const document = openApiDocument({ vocabulary, version: '1', baseUrl: BASE_URL });
    const operation = document.paths[path]?.[method];
    if (!operation) throw new Error(`no ${method} ${path}`);
    return curlExample({ baseUrl: BASE_URL, method, path: shownPath, operation }).split(' \\\n  ');
  }

  test('curlExample: a quote in the data stays inside its word', () => {
    expect(curlLines('post', '/users', "/it's/{id}")).toEqual([
      `curl -X POST '${BASE_URL}/it'\\''s/ID'`,
      '-u "$KYCLONE_API_KEY:"',
      "-H 'content-type: application/json'",
      `-d '{"id.first_name":"Jane","id.last_name":"Doe"}'`,
    ]);
  });

  test('curlExample: a client token is left to the reader', () => {
    expect(curlLines('patch', '/users/vault')).toEqual([
      `curl -X PATCH '${BASE_URL}/users/vault'`,
      "-H 'x-fp-authorization: TOKEN'",
      "-H 'content-type: application/json'",
      `-d '{"id.first_name":"Jane","id.last_name":"Doe"}'`,
    ]);
  });

  test('curlExample: a file goes in as its bytes with its content type', () => {
    expect(curlLines('post', '/users/{fp_id}/vault/{identifier}/upload')).toEqual([
      `curl -X POST '${BASE_URL}/users/FP_ID/vault/document.id_card.front.image/upload'`,
      '-u "$KYCLONE_API_KEY:"',
      "-H 'content-type: image/png'",
      '--data-binary @front.png',
    ]);
  });

  test('curlExample: a file that comes out goes into a file', () => {
    expect(curlLines('get', '/users/vault/decrypt/{token}')).toEqual([
      `curl '${BASE_URL}/users/vault/decrypt/TOKEN'`,
      '-o FILE',
    ]);
  });
});
