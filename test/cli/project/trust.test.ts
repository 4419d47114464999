import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureOpenings, settingOpenings } from '../../../src/cli/project/trust.ts';
import { SETTING_NAMES, type KeptSettings } from '../../../src/cli/config/preferences.ts';
import { loadFixture } from '../../../src/client/fixtures/index.ts';
import { endpoints } from '../../../src/contract/registry.ts';
import { tempDir } from '../../support/temp-dir.ts';

const placesOf = (settings: Record<string, string>, kept: KeptSettings = {}) =>
  settingOpenings({ settings }, kept).map(({ place }) => place);

test('settingOpenings: every setting but words and the seed opens something, unless its value is none', () => {
  const all = Object.fromEntries(SETTING_NAMES.map((name) => [name, 'x']));
  expect(placesOf(all).sort()).toEqual([
    'settings.cors.origins',
    'settings.egress.extra_roots',
    'settings.egress.policy',
    'settings.hosts',
    'settings.partner_b.forward',
  ]);
  expect(placesOf({ 'cors.origins': '[]', hosts: '[]', 'partner_b.forward': 'false' })).toEqual([]);
});

test.each([
  [{ 'egress.policy': 'local' }, {}, []],
  [{ 'egress.policy': 'strict' }, {}, []],
  [{ 'egress.policy': 'open' }, {}, ['settings.egress.policy']],
  [{ 'egress.policy': 'open' }, { 'egress.policy': 'open' }, []],
  [{ 'egress.policy': 'local' }, { 'egress.policy': 'strict' }, ['settings.egress.policy']],
])('settingOpenings: %j beside %j of the user opens %j', (settings, kept, places) => {
  expect(placesOf(settings as Record<string, string>, kept as KeptSettings)).toEqual(places);
});

function openingsOf(calls: readonly string[]): string[] {
  using folder = tempDir();
  const file = join(folder.path, 'a.json');
  const steps = calls.map((call) => ({ call }));
  writeFileSync(file, JSON.stringify({ vars: { X: 'x' }, steps }));
  return fixtureOpenings([loadFixture(file)], { directory: folder.path }).map(({ what }) => what);
}

test('fixtureOpenings: calls that make data of the fixture’s own open nothing', () => {
  const calls = [
    'POST /users',
    'POST /users/${set.X}/kyc',
    'POST /users/${set.X}/vault/document.id_card.front.image:1/upload',
    'DELETE /users/${set.X}/tags/${set.X}',
    'POST /_kyclone/outcomes',
    'PUT /_kyclone/clock',
    'GET /_kyclone/settings',
    'POST /bank_links/${set.X}/import/transactions',
  ];
  expect(openingsOf(calls)).toEqual([]);
});

test('fixtureOpenings: calls that change who comes in, send something elsewhere, or can’t be judged are listed', () => {
  const calls = [
    'PATCH /_kyclone/settings',
    'POST /_kyclone/webhooks',
    'POST /_kyclone/api-keys',
    'POST /_kyclone/keyring/slots',
    'POST /_kyclone/reset',
    'PUT /_kyclone/snapshots/a',
    'POST /vault_proxy/jit',
    'POST /users/${set.X}/integrations/partner_b/cip',
    'POST /users/a/${set.X}/partner_b/cip',
    'PATCH /${set.X}/settings',
    'PATCH /_kyclone/${set.X}',
    'PATCH /users/../_kyclone/settings',
    'PATCH /%5fkyclone/settings',
    'PATCH //_kyclone/settings',
  ];
  expect(openingsOf(calls)).toEqual(calls);
});

test('fixtureOpenings: every call of the API is judged, and the ones that pass are known', () => {
  const calls = endpoints
    .map(({ key }) => key.replaceAll(/\{[^}]*\}/g, 'x'))
    .filter((key) => /^(?:POST|PUT|PATCH|DELETE) /.test(key));
  const nouns = new Set(openingsOf(calls).map((call) => call.split('/').slice(1, 3).join('/')));
  expect([...nouns].filter((noun) => noun.startsWith('_kyclone')).sort()).toMatchInlineSnapshot(`
    [
      "_kyclone/api-keys",
      "_kyclone/console",
      "_kyclone/keyring",
      "_kyclone/proxies",
      "_kyclone/recording",
      "_kyclone/reset",
      "_kyclone/search",
      "_kyclone/settings",
      "_kyclone/snapshots",
      "_kyclone/store",
      "_kyclone/webhooks",
    ]
  `);
  expect([...nouns].filter((noun) => !noun.startsWith('_kyclone')).sort()).toMatchInlineSnapshot(`
    [
      "hosted/browser",
      "hosted/session",
      "users/x",
      "vault_proxy/jit",
      "vault_proxy/reflect",
      "vault_proxy/render",
      "vault_proxy/x",
    ]
  `);
});

test('fixtureOpenings: a fixture that is elsewhere by its real path is reported', () => {
  using folder = tempDir();
  const [inside, outside] = [join(folder.path, 'in'), join(folder.path, 'out.json')];
  mkdirSync(inside);
  writeFileSync(outside, JSON.stringify({ steps: [{ call: 'POST /users' }] }));
  symlinkSync(outside, join(inside, 'a.json'));
  for (const file of [outside, join(inside, 'a.json')]) {
    const [opening] = fixtureOpenings([loadFixture(file)], { directory: inside });
    expect(opening?.what).toBe('a file outside the folder of the project');
  }
});
