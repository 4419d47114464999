/** An explanation, the journal and the log never show a value of a proxy call (contract §1.2, §11). */
import { expect } from 'vitest';
import { jsonTarget, startTarget } from '../../support/targets.ts';
import { testWith } from '../../support/test-with.ts';
import { aCall } from './a-call.ts';

/** Letters that are in no header, name or id. */
const NAME = 'QZXJKVWPYB';

const test = testWith(() =>
  aCall({
    'id.first_name': NAME,
    'id.drivers_license_number': `${NAME}ÄÖÜ`,
    'custom.note': NAME,
    'id.dob': '1988-12-30',
    'card.main.cvc': '999',
  }),
);

const CHAINS = [
  '',
  'prefix(5)',
  'suffix(5)',
  'prefix(1)',
  'to_lowercase',
  'to_uppercase',
  'to_ascii',
  "replace('Z', 'xyz')",
  'to_lowercase | prefix(4)',
  'wrap_quotes',
  "hmac_sha256('00ff')",
];

/** Returns all sequences of three characters. */
function piecesOf(text: string): string[] {
  return Array.from({ length: text.length - 2 }, (_, index) => text.slice(index, index + 3));
}

test('explain: no piece of a value is shown that its mask would not show, whatever its transforms', async (proxy) => {
  const tokens = ['id.first_name', 'id.drivers_license_number', 'custom.note'].flatMap((identifier) =>
    CHAINS.map((chain) => `{{ ${identifier} ${chain && '|'} ${chain} }}`),
  );
  const dates = ['%A in %B', '%d.%m.%y'].map((to) => `{{ id.dob | date_format('%Y-%m-%d', '${to}') }}`);
  const parts = { body: [...tokens, ...dates, '{{ card.main.cvc }}'].join('\n') };

  const sent = await proxy.jit(parts);
  const masked = await proxy.render(parts);

  expect(proxy.target.requests[0]?.body.toString()).toContain('Friday in December');
  for (const of of [sent, masked]) {
    const kept = JSON.stringify([await proxy.explain(of), await proxy.journal(of), proxy.service.log]);
    const shown = kept.replaceAll(/(?:fp_id|key|req)_[0-9A-Za-z]+/g, '');
    const hidden = [
      ...piecesOf(NAME),
      ...piecesOf(`${NAME}AOU`).filter((piece) => !/^[AOU]+$/.test(piece)),
      'Fri',
      'Dec',
      '30.12',
      '-12-',
      '999',
    ];
    for (const piece of hidden) {
      for (const form of [piece, piece.toLowerCase(), piece.toUpperCase()]) expect(shown).not.toContain(form);
    }
  }
  expect(masked.body).not.toMatch(new RegExp(piecesOf(NAME).join('|'), 'i'));
});

test.eachWith([
  ['to_lowercase', 'q***', 'Q***'],
  ['to_lowercase | to_uppercase', 'Q***', 'Q***'],
  ['to_ascii', '***', '***'],
  ['prefix(20)', '***', '***'],
  ['suffix(3)', '***', '***'],
  ['to_lowercase | suffix(3)', '***', '***'],
  ["replace('x', 'y')", '***', '***'],
  ['wrap_quotes', '***', '***'],
  ["hmac_sha256('00ff')", '<hex>', '<hex>'],
  ["hmac_sha256('00ff') | prefix(4)", '***', '***'],
])('explain: the outcome of %s is shown as %s, unread as %s', async (proxy, chain, sent, rendered) => {
  const parts = { body: `{{ id.first_name | ${chain} }}` };

  const { tokens } = await proxy.explain(await proxy.jit(parts));
  const masked = await proxy.render(parts);

  expect([tokens[0]?.output_masked, masked.tokens[0]?.output_masked]).toEqual([sent, rendered]);
  expect([tokens[0]?.input_masked, masked.tokens[0]?.input_masked]).toEqual(['Q***', 'Q***']);
});

test('explain: the outcome of an encryption or an hmac shows nothing, not even how long it is', async (proxy) => {
  const key = '20'.repeat(32);

  const reply = await proxy.reflect({
    reason: 'a look',
    body: `{{ custom.note | encrypt('x25519_xsalsa20_poly1305', '${key}') }}`,
  });

  const { tokens } = await proxy.explain(reply);
  expect(reply.text).toMatch(/^[0-9a-f]{116}$/);
  expect(tokens[0]?.output_masked).toBe('<hex>');
  expect(JSON.stringify(tokens)).not.toContain(key);
});

test('explain: of headers only the names are shown, and of the answer only the status', async (proxy) => {
  const handler = jsonTarget({ a: NAME }, { headers: { 'x-own': NAME, location: `/${NAME}` } });
  await using target = await startTarget({ handler });

  const reply = await proxy.jit({
    target: `${target.url}/a?q=${NAME}`,
    reason: NAME,
    forward: { authorization: NAME },
    headers: { 'x-callers': NAME, cookie: NAME, 'content-type': `text/x; a=${NAME}` },
    rules: ['id.city=$.a'],
    body: NAME,
  });

  const shown = JSON.stringify([await proxy.explain(reply), await proxy.journal(reply), proxy.service.log]);
  expect(reply.status).toBe(200);
  expect(shown).toContain('authorization');
  expect(shown).not.toContain(NAME);
});
