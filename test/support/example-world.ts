/**
 * The data for the examples of the help. Each placeholder stands for a real thing, which is made when an example names
 * it. The examples run in `folder`, which holds the files that they read.
 */
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { aPng, aReadyBusiness, aReadyUser, KYB, KYC } from './builders.ts';
import type { TestDaemon } from './daemon.ts';

type Answer = Record<string, unknown> & { id: string };

/** Makes a call with the credential that its path requires. The call must succeed. */
export async function ask(
  { url, apiKey, controlToken }: Pick<TestDaemon, 'url' | 'apiKey' | 'controlToken'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const authorization = path.startsWith('/_kyclone/')
    ? `Bearer ${controlToken}`
    : `Basic ${btoa(`${apiKey}:`)}`;
  const isFile = body instanceof Buffer;
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization,
      ...(body !== undefined && { 'content-type': isFile ? 'image/png' : 'application/json' }),
    },
    ...(body !== undefined && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.status, `${method} ${path}: ${text}`).toBe(200);
  return JSON.parse(text === '' ? '{}' : text) as Answer;
}

export const PNG = aPng();

/** Makes the things that the placeholders of the examples stand for. */
export class ExampleWorld {
  readonly #daemon: TestDaemon;
  readonly #made = new Map<string, Promise<string>>();

  constructor(daemon: TestDaemon) {
    this.#daemon = daemon;
  }

  /** Returns the example with real ids in place of its placeholders. */
  async filled(example: string): Promise<string> {
    const makers: readonly (readonly [placeholder: RegExp, make: () => Promise<string>])[] = [
      [/fp_id_7p793EF07xKXHqAeg5VGPj/g, () => this.user()],
      [/fp_id_0a1b2c3d4e5f6g7h8i9j0k/g, () => this.other()],
      [/fp_bid_7p793EF07xKXHqAeg5VGPj/g, () => this.business()],
      [/fp_bid_0a1b2c3d4e5f6g7h8i9j0k/g, () => this.otherBusiness()],
      [/\bob_7p793EF07xKXHqAeg5VGPj/g, () => this.onboarding(example)],
      [/note_7p793EF07xKXHqAeg5VGPj/g, () => this.note()],
      [/link_7p793EF07xKXHqAeg5VGPj/g, () => this.link('link')],
      [/link_8p793EF07xKXHqAeg5VGPj/g, () => this.link('other link')],
      [/acct_7p793EF07xKXHqAeg5VGPj/g, () => this.account()],
      [/tok_7p793EF07xKXHqAeg5VGPj/g, () => this.tokenRecord()],
      [/ses_7p793EF07xKXHqAeg5VGPj/g, () => this.sessionRecord()],
      [/key_7p793EF07xKXHqAeg5VGPj/g, () => this.key()],
      [/whk_7p793EF07xKXHqAeg5VGPj/g, () => this.webhook()],
      [/proxy_id_7p793EF07xKXHqAeg5VGPj/g, () => this.proxyConfiguration()],
      [/evt_7p793EF07xKXHqAeg5VGPj/g, () => this.event()],
      [/rule_7p793EF07xKXHqAeg5VGPj/g, () => this.rule()],
      [/flt_7p793EF07xKXHqAeg5VGPj/g, () => this.fault()],
      [/req_7p793EF07xKXHqAeg5VGPj/g, () => this.request()],
      [/pb_test_mine/g, () => this.playbook()],
    ];
    let text = example;
    for (const [placeholder, make] of makers) {
      if (placeholder.test(text)) text = text.replace(placeholder, await make());
    }
    return text;
  }

  #once(what: string, make: () => Promise<string>): Promise<string> {
    const made = this.#made.get(what) ?? make();
    this.#made.set(what, made);
    return made;
  }

  async #posted(path: string, body: object): Promise<string> {
    return (await ask(this.#daemon, 'POST', path, body)).id;
  }

  #postedOnce(what: string, path: string, body: object): Promise<string> {
    return this.#once(what, () => this.#posted(path, body));
  }

  user = () =>
    this.#once('user', async () => {
      const id = await this.#posted('/users', aReadyUser());
      await ask(this.#daemon, 'POST', `/users/${id}/vault/document.passport.front.image/upload`, PNG);
      return id;
    });
  other = () => this.#postedOnce('other', '/users', aReadyUser({ 'id.ssn9': '121-12-1213' }));
  business = () => this.#postedOnce('business', '/businesses', aReadyBusiness());
  otherBusiness = () => this.#postedOnce('other business', '/businesses', aReadyBusiness());
  note = async () => {
    const path = `/_kyclone/entities/${await this.user()}/notes`;
    return this.#posted(path, { text: 'of an example' });
  };
  playbook = () =>
    this.#once('playbook', async () => {
      const key = 'pb_test_mine';
      const known = (await ask(this.#daemon, 'GET', '/_kyclone/playbooks')) as unknown;
      const playbook = { name: 'Mine', kind: 'kyc', key };
      if (!JSON.stringify(known).includes(key))
        await ask(this.#daemon, 'POST', '/_kyclone/playbooks', playbook);
      return key;
    });
  rule = () =>
    this.#postedOnce('rule', '/_kyclone/outcomes', { outcome: 'fail', match: { external_id: 'nobody' } });
  fault = () => this.#postedOnce('fault', '/_kyclone/faults', { match: { path: '/nowhere' }, status: 503 });
  key = () => this.#postedOnce('key', '/_kyclone/api-keys', { name: 'example' });
  webhook = () => this.#postedOnce('webhook', '/_kyclone/webhooks', { url: 'http://127.0.0.1:9/hooks' });
  proxyConfiguration = () =>
    this.#postedOnce('proxy', '/_kyclone/proxies', { url: 'https://api.example.com/checks' });
  event = () =>
    this.#once('event', async () => {
      await this.webhook();
      return this.#posted('/_kyclone/events/trigger', { kind: 'onboarding.completed' });
    });

  /** Makes the snapshots that examples name and that are missing. */
  async snapshots(): Promise<void> {
    const { data } = await ask(this.#daemon, 'GET', '/_kyclone/snapshots');
    const there = new Set((data as Answer[]).map(({ name }) => name));
    for (const name of ['before-migration', 'after-migration', 'nightly'])
      if (!there.has(name)) await ask(this.#daemon, 'PUT', `/_kyclone/snapshots/${name}`);
  }

  /** Starts or stops the recording. */
  async recording(isUnderWay: boolean): Promise<void> {
    const { is_recording: active } = await ask(this.#daemon, 'GET', '/_kyclone/recording');
    if (active !== isUnderWay) await ask(this.#daemon, isUnderWay ? 'POST' : 'DELETE', '/_kyclone/recording');
  }

  link(which: string): Promise<string> {
    return this.#once(which, async () => {
      const { intent_token } = await ask(this.#daemon, 'POST', '/_kyclone/bank_link_intents', {
        fp_id: await this.user(),
        persona: 'investor',
      });
      return this.#posted('/bank_links', { intent_token });
    });
  }

  account(): Promise<string> {
    return this.#once('account', async () => {
      const { accounts } = await ask(this.#daemon, 'GET', `/bank_links/${await this.link('link')}/accounts`);
      return (accounts as Answer[])[0]?.id ?? '';
    });
  }

  tokenRecord(): Promise<string> {
    return this.#once('token', async () => {
      const id = await this.user();
      await ask(this.#daemon, 'POST', `/users/${id}/client_token`, { scope: 'vault', fields: ['id.email'] });
      const { tokens } = await ask(this.#daemon, 'GET', `/_kyclone/entities/${id}`);
      return (tokens as Answer[])[0]?.id ?? '';
    });
  }

  /** Makes a request of the vault proxy, which has an explanation. Returns its id. */
  request(): Promise<string> {
    return this.#once('request', async () => {
      const { url, apiKey } = this.#daemon;
      const answer = await fetch(`${url}/vault_proxy/render`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${apiKey}:`)}`,
          'content-type': 'application/json',
          'x-fp-proxy-target-url': 'https://api.example.com/',
        },
        body: '{}',
      });
      return answer.headers.get('x-request-id') ?? '';
    });
  }

  /**
   * Makes an onboarding and returns its id. It belongs to the business if the example names one, and is pending if the
   * example resolves it.
   */
  onboarding(example: string): Promise<string> {
    return this.#once('onboarding', async () => {
      const isOfBusiness = example.includes('fp_bid_');
      const isPending = example.includes('resolve');
      if (isPending) {
        const match = { kind: 'kyc' };
        await ask(this.#daemon, 'POST', '/_kyclone/outcomes', {
          outcome: 'pass',
          match,
          delay_ms: 3_600_000,
        });
      }
      const owner = isOfBusiness ? await this.business() : await this.user();
      const path = isOfBusiness ? `/businesses/${owner}/kyb` : `/users/${owner}/kyc`;
      const key = isOfBusiness ? KYB : KYC;
      const fixture_result = example.includes('risk-signals review') ? 'manual_review' : 'pass';
      const fixture = isPending ? {} : { fixture_result };
      const run = await ask(this.#daemon, 'POST', path, { key, ...fixture });
      return String(run['onboarding_id']);
    });
  }

  /** Returns a session token of a hosted flow, as `onboardings start` prints it. */
  async session(): Promise<string> {
    const user_external_id = `session-${Math.random().toString(36).slice(2)}`;
    const id = await this.#posted('/users', aReadyUser());
    await ask(this.#daemon, 'PATCH', `/users/${id}`, { external_id: user_external_id });
    const body = { key: KYC, user_external_id };
    return String((await ask(this.#daemon, 'POST', '/onboarding/session', body))['token']);
  }

  /** Returns the id of an open session. */
  async sessionRecord(): Promise<string> {
    await this.session();
    const { data } = await ask(this.#daemon, 'GET', '/_kyclone/sessions?state=open&page_size=1');
    return String((data as { id: string }[])[0]?.id);
  }

  /** Returns the validation token that the app gets when a person has completed a session. */
  async validation(): Promise<string> {
    const token = await this.session();
    const done = await ask(this.#daemon, 'POST', '/_kyclone/sessions/complete', { token });
    return String(done['validation_token']);
  }

  async downloadToken(): Promise<string> {
    const body = {
      scope: 'decrypt_download',
      fields: ['document.passport.front.image'],
      decrypt_reason: 'an example',
    };
    const { token } = await ask(this.#daemon, 'POST', `/users/${await this.user()}/client_token`, body);
    return String(token);
  }
}

const SECRET = Buffer.alloc(24, 7);

/** Writes the files that examples read. */
export function writeExampleFiles(folder: string, session: string): void {
  // The signature is made on each run, because it is valid for five minutes.
  const signedAt = Math.floor(Date.now() / 1000);
  const person = { 'id.first_name': 'Jane', 'id.last_name': 'Doe', 'id.email': 'jane@example.com' };
  const body = '{"event":"example"}';
  const signature = createHmac('sha256', SECRET).update(`msg_1.${signedAt}.${body}`).digest('base64');
  const files: Readonly<Record<string, string | Buffer>> = {
    'user.json': JSON.stringify(person),
    'person.json': JSON.stringify(aReadyUser()),
    'business.json': JSON.stringify(aReadyBusiness()),
    'seed.yaml':
      'vars: { LAST_NAME: Doe }\nsteps:\n  - id: user\n    call: POST /users\n' +
      '    body: { id.first_name: Jane, id.last_name: "${set.LAST_NAME}" }\noutputs: { USER: "${user.id}" }\n',
    'orders.yaml': 'vars: { USER: null }\nsteps:\n  - call: GET /users/${set.USER}\n',
    'front.png': PNG,
    'reasons.txt': 'seen by Ann\n',
    'address.txt': 'jane@example.com\n',
    'said.txt': '(415) 555-2671\n',
    'tin.txt': '12-1234567\n',
    'token.txt': `${session}\n`,
    'partner.key': 'key-value\n',
    'signing.hex': `${'ab'.repeat(32)}\n`,
    'header.txt': 'authorization: Bearer of-an-example\n',
    'secret.txt': `whsec_${SECRET.toString('base64')}\n`,
    'headers.txt': `webhook-id: msg_1\nwebhook-timestamp: ${signedAt}\nwebhook-signature: v1,${signature}\n`,
    'body.json': body,
    'umsaetze.csv': 'Datum;Betrag;Text\n31.12.2000;-12,50;Kaffee\n02.01.2001;1.000,00;Gehalt\n',
    'statement.ofx':
      'OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD' +
      '<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>' +
      '<STMTTRN><TRNAMT>-1<DTPOSTED>20010105<FITID>x<NAME>y</STMTTRN>' +
      '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}
