/**
 * The canary in the vault proxy, in both directions. No file that the daemon wrote, no journal entry and no explanation
 * holds what the target receives, whatever the result of the call.
 */
import { expect, test } from 'vitest';
import '../support/tier-all.ts';
import type { Kycloned, Response } from '../support/kycloned.ts';
import { aUser } from '../support/kycloned-calls.ts';
import { startTarget } from '../support/targets.ts';
import { aStage, CARD, DIGITS, leaksBelow, leaksIn, MAIL, PHONE, WORD } from './canary.ts';

const PERSON = {
  'id.first_name': WORD,
  'id.ssn9': DIGITS,
  'id.phone_number': PHONE,
  'card.main.number': CARD,
  'custom.note': `${WORD} ${DIGITS}`,
  'custom.nested': { [WORD]: [MAIL] },
};
const TOKENS = Object.keys(PERSON).map((identifier) => `{{ ${identifier} }}`);
const CHAINED = [
  'prefix(20)',
  'to_uppercase',
  'wrap_quotes',
  `replace('${WORD[0]}', '${WORD}')`,
  "hmac_sha256('00ff')",
  'suffix(19)',
  'to_lowercase | prefix(18)',
].map((chain) => `{{ custom.note | ${chain} }}`);

/** Starts a target that responds as its path says. */
const aTarget = () =>
  startTarget({
    handler: ({ path }, response) => {
      const { socket } = response;
      if (path.startsWith('/cut')) return socket?.destroy();
      if (path.startsWith('/half')) {
        response.writeHead(200, { 'content-length': 1000, 'x-canary': WORD });
        return response.write(WORD, () => socket?.destroy());
      }
      const type = path.startsWith('/html') ? 'text/html' : 'application/json';
      response.writeHead(path.startsWith('/failed') ? 500 : 200, {
        'content-type': type,
        'x-canary': WORD,
        'set-cookie': `a=${WORD}`,
        location: `/${WORD}`,
      });
      const wrong = path.startsWith('/wrong');
      return response.end(
        type === 'text/html'
          ? `<p>${WORD} ${DIGITS}</p>`
          : JSON.stringify({ name: WORD, ssn: wrong ? WORD : DIGITS, phone: PHONE, [WORD]: { o: MAIL } }),
      );
    },
  });

interface Outcome {
  readonly what: string;
  readonly reply: Response;
  readonly status: number;
}

/** Uses the proxy in each way, with success and with failure. */
async function useProxy(daemon: Kycloned, url: string): Promise<Outcome[]> {
  const id = await aUser(daemon, PERSON);
  const rules = {
    'x-fp-proxy-ingress-content-type': 'json',
    'x-fp-proxy-ingress-rule':
      'id.last_name=$.name, id.itin=$.gone, id.ssn9=$.ssn, custom.o=$.phone | to_uppercase',
  };
  const outcomes: Outcome[] = [];
  const call = async (
    what: string,
    status: number,
    headers: Record<string, string>,
    body = BODY,
    path = 'jit',
  ) => {
    const reply = await daemon.call('POST', `/vault_proxy/${path}`, {
      headers: { 'x-fp-id': id, ...headers },
      body,
    });
    outcomes.push({ what, reply, status });
  };
  const to = (path: string) => ({ 'x-fp-proxy-target-url': `${url}${path}` });
  const form = { 'x-fp-proxy-fwd-content-type': 'application/x-www-form-urlencoded' };

  await call('sent', 200, to(`/ok?q=${DIGITS}`));
  await call('sent as a form', 200, { ...to('/ok'), ...form });
  await call('the caller names it', 200, {
    ...to('/ok'),
    'x-fp-proxy-fwd-x-own': WORD,
    cookie: WORD,
    'content-type': `text/plain; name=${WORD}`,
    'x-fp-path-and-query': `?name=${WORD}`,
  });
  await call('stored', 200, { ...to('/ok'), ...rules });
  await call('refused by the vault', 400, { ...to('/wrong'), ...rules });
  await call('a failure of the target', 500, to('/failed'));
  await call('no JSON', 502, { ...to('/html'), ...rules });
  await call('cut off', 502, to('/cut'));
  await call('cut in the middle', 502, to('/half'));
  await call('no server', 502, { 'x-fp-proxy-target-url': 'http://127.0.0.1:1/' });
  await call('a host with it', 502, { 'x-fp-proxy-target-url': `http://${WORD}.invalid:1/${WORD}` });
  await call('user info', 400, { 'x-fp-proxy-target-url': `http://${WORD}:${DIGITS}@127.0.0.1/` });
  await call('an argument with it', 400, to('/ok'), `{{ id.first_name | prefix('${WORD}') }}`);
  await call('an identifier with it', 400, to('/ok'), `{{ id.${WORD} }}`);
  await call('a transform that fails', 400, to('/ok'), `{{ custom.note | date_format('%Y', '${WORD}') }}`);
  await call('a rule with it', 400, { ...to('/ok'), ...rules, 'x-fp-proxy-ingress-rule': `id.city=${WORD}` });
  await call('a key that is none', 400, {
    'x-fp-proxy-target-url': 'https://127.0.0.1:1/',
    'x-fp-proxy-client-cert': WORD,
    'x-fp-proxy-client-key': WORD,
  });
  await call('reflected', 200, { 'x-fp-access-reason': 'a look' }, BODY, 'reflect');
  await call('rendered by masks', 200, to('/ok'), BODY, 'render');
  await call('rendered', 200, { ...to('/ok'), 'x-fp-proxy-access-reason': 'a look' }, BODY, 'render');
  return outcomes;
}

/** Hosts, paths and identifiers are the caller's own text, so messages and the journal may name them. */
const NAMED_BY_THE_CALLER = new RegExp(`${WORD}\\.invalid(:1/${WORD})?|\\bid\\.${WORD}`, 'gi');
const BODY = [...TOKENS, ...CHAINED].join('\n');

/** Returns the daemon's journal, and the explanation of each proxy request. */
async function reportsOf(daemon: Kycloned, outcomes: readonly Outcome[]): Promise<string[]> {
  const reports = [(await daemon.control('GET', '/_kyclone/requests?page_size=100')).text];
  for (const { reply } of outcomes) {
    const id = String(reply.headers['x-request-id']);
    const explanation = await daemon.control('GET', `/_kyclone/requests/${id}/proxy`);
    expect(explanation.status).toBe(200);
    reports.push(explanation.text);
  }
  return reports;
}

test('canary: what goes through the vault proxy is in no file, no journal, no explanation and no error', async () => {
  await using target = await aTarget();
  const { home, start } = aStage();
  const daemon = await start();

  const outcomes = await useProxy(daemon, target.url);

  expect(outcomes.map(({ what, reply }) => [what, reply.status])).toEqual(
    outcomes.map(({ what, status }) => [what, status]),
  );
  // The value reached the target; otherwise a search that finds nothing would prove nothing.
  expect(target.requests[0]?.body.toString()).toContain(`${WORD} ${DIGITS}`);
  const [stored] = outcomes.filter(({ what }) => what === 'stored');
  expect(stored?.reply.body['name']).toMatch(/^fp_id_\w+\.id\.last_name$/);
  const failures = outcomes.filter(({ reply }) => typeof reply.body['code'] === 'string');
  expect(failures.length).toBeGreaterThan(9);
  const leaks = failures
    .filter(({ what }) => what !== 'an identifier with it' && what !== 'a host with it')
    .flatMap(({ what, reply }) => leaksIn(what, Buffer.from(reply.text)));
  expect(leaks).toEqual([]);
  const reports = (await reportsOf(daemon, outcomes)).map((text) => text.replaceAll(NAMED_BY_THE_CALLER, ''));
  expect(reports.flatMap((text, index) => leaksIn(`report ${index}`, Buffer.from(text)))).toEqual([]);
  expect(leaksBelow(home)).toEqual([]);
  expect(daemon.stderr()).not.toContain(WORD);

  await daemon.stop();
  expect(leaksBelow(home)).toEqual([]);
  await (await start()).stop('SIGKILL');
  expect(leaksBelow(home)).toEqual([]);
});
