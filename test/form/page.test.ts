import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { FORM_PAGE_POLICY, formPage } from '../../src/pages/scripted-pages.ts';

describe('formPage', () => {
  test('formPage: the policy permits exactly the style that is on the page', () => {
    const style = /<style>([\s\S]*)<\/style>/.exec(formPage())?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');

    expect(FORM_PAGE_POLICY).toContain(`style-src 'sha256-${digest}';`);
  });

  test('formPage: the only script is the own module', () => {
    expect(formPage().match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/_kyclone/form.js">']);
    expect(formPage()).not.toMatch(/\son\w+=|javascript:/i);
  });

  test('formPage: nothing inline runs, nothing is embedded, nothing is framed and no form is sent', () => {
    const directives = FORM_PAGE_POLICY.split('; ');

    expect(directives).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        'img-src data:',
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(FORM_PAGE_POLICY).not.toContain('unsafe');
  });

  test('formPage: it has the place that the script looks for', () => {
    expect(formPage()).toMatch(/<main class="form-page" data-kyclone-form>/);
  });
});
