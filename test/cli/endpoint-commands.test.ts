/** Every endpoint has a command, or a reason for none. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { layerOf, sourceFilesIn } from '../../src/devtools/check-imports.ts';
import { endpoints } from '../../src/contract/registry.ts';

/** These call endpoints for another purpose than their own. */
const OTHERS = /^cli\/(?:api|capabilities|compare|demo|exec|mcp|shell)\//;

/** Endpoints that no command is for. */
const WITHOUT: readonly (readonly [matching: RegExp, why: string])[] = [
  [/ \/hosted\//, 'a page in a browser calls it'],
  [/ \/users\/(?:vault(?:\/|$)|client_token$)/, 'a browser calls it with a client token'],
  [
    / \/(?:org\/api_keys\/check|users\/\{fp_id\}\/(?:auth_events|integrations\/\{partner_b\}\/account|liveness|match_signals|reonboard))$/,
    'it is deprecated',
  ],
  [/ \/vault_proxy\//, '`proxy call` sends the request to its path'],
  [/ \/_kyclone\/(?:health|ready)$/, '`wait` and `status` ask it by its path'],
  [
    / \/_kyclone\/search$/,
    '`users search` and `businesses search` call it, through cli/shell/entity-search.ts',
  ],
  [/ \/_kyclone\/stream$/, '`requests tail` and `webhooks listen` read it, through client/event-stream.ts'],
  [
    /^GET \/_kyclone\/snapshots\/\{name\}\/content$/,
    '`snapshot create --file` saves it, through client/client.ts',
  ],
  [
    / \/_kyclone\/(?:docs|form|form\.js|openapi\.json)$/,
    'a browser or a generator reads it; `docs` opens it',
  ],
  [
    /^(?:GET \/_kyclone\/console(?:$|\/)|POST \/_kyclone\/console\/sessions(?:$|\/)|DELETE \/_kyclone\/console\/session$)/,
    'the page of the console calls it; `console` opens the page',
  ],
];

const KEY = /['`]((?:GET|POST|PUT|PATCH|DELETE) \/[^'`$]*)['`]/g;

function called(): ReadonlySet<string> {
  const files = sourceFilesIn('src').filter((file) => layerOf(file) === 'cli' && !OTHERS.test(file));
  const keys = files.flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(KEY)].map(([, key = '']) => key),
  );
  return new Set(
    keys.flatMap((key) =>
      key.includes(' /{entity}')
        ? [key.replace('/{entity}', '/users/{fp_id}'), key.replace('/{entity}', '/businesses/{fp_bid}')]
        : [key],
    ),
  );
}

test('commands: every endpoint has one, or a reason for none', () => {
  const known = called();
  const missing = endpoints.map(({ key }) => key).filter((key) => !known.has(key));
  expect(missing.filter((key) => !WITHOUT.some(([matching]) => matching.test(key)))).toEqual([]);
});

test('commands: each reason for none is needed', () => {
  const known = called();
  for (const [matching, why] of WITHOUT)
    expect(
      endpoints.some(({ key }) => matching.test(key) && !known.has(key)),
      why,
    ).toBe(true);
});
