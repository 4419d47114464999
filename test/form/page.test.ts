import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { FORM_PAGE_POLICY, formPage } from '../../src/pages/scripted-pages.ts';

describe('formPage', () => {
  test('formPage: the policy permits its own style, script and calls, no frame around it, and nothing else', () => {
    const style = /<style>([\s\S]*)<\/style>/.exec(formPage())?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');

    expect(FORM_PAGE_POLICY.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'sha256-${digest}'`,
      "connect-src 'self'",
      'img-src data:',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
  });

  test('formPage: the only script is the own module', () => {
    expect(formPage().match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/_kyclone/form.js">']);
    expect(formPage()).not.toMatch(/\son\w+=|javascript:/i);
  });

  test('formPage: it has the place that the script looks for', () => {
    expect(formPage()).toMatch(/<main class="form-page" data-kyclone-form>/);
  });
});
