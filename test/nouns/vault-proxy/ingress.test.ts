/** Ingress from a response to stored data (contract §3.3): over real vaults, without a target. */
import { parseJson, type JsonValue } from '../../../src/kernel/text/json.ts';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createIngress, requireStorable } from '../../../src/nouns/vault-proxy/service/ingress.ts';
import { parseIngressRules } from '../../../src/nouns/vault-proxy/service/ingress-rules.ts';
import { createBlobStore } from '../../../src/storage/blobs.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';
import { StoredFile, type FileListener } from '../../../src/vault/files/index.ts';
import { parseIdentifierReference } from '../../../src/vault/identifiers/index.ts';
import { TransformBudget } from '../../../src/vault/transforms/index.ts';
import { createVaultReading } from '../../../src/vault/vault-reads.ts';
import { createVault } from '../../../src/vault/vault.ts';
import { aPng } from '../../support/builders.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { aStore, type SpaceName } from '../../vault/a-store.ts';

const FRONT = 'document.passport.front.image';
const FRONT_TYPE = 'document.passport.front.mime_type';
const IMAGE = aPng().toString('base64');

interface Answer {
  readonly status?: number;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body: JsonValue | Buffer;
  /** Whether the key of the call may decrypt. */
  readonly mayDecrypt?: boolean;
}

function anIngress() {
  const { database, clock, keyring, create, entity } = aStore();
  const folder = tempDir();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = join(folder.path, 'files');
  const blobs = createBlobStore({ folder: path, isDurable: false });
  const vault = createVault({
    reading: createVaultReading({ keyring, blobs }),
    keyring,
    clock,
    blobs,
    listener: { files: nobody, changed: () => undefined },
    listing: { created: () => undefined },
  });
  const queue = createWriteQueue(database);
  const ingress = createIngress({ queue, vault });
  const jane = create();

  function callerOf(
    { tenant = 'default', environment = 'sandbox' }: SpaceName = {},
    { mayWrite = true, mayDecrypt = false } = {},
  ) {
    const space = database
      .prepare('SELECT id FROM spaces WHERE tenant = ? AND environment = ?')
      .pluck()
      .get(tenant, environment) as number;
    const permissions = new Set<string>();
    const rights = { mayWrite: () => mayWrite, mayDecrypt: () => mayDecrypt };
    const kind = 'api_key' as const;
    return { kind, id: 'key_test', scopes: permissions, permissions, space, tenant, environment, ...rights };
  }

  const rulesOf = (...lines: string[]) => parseIngressRules(lines, jane);

  async function apply({ status = 200, body, mayDecrypt = false }: Answer, ...lines: string[]) {
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const answer = await ingress.apply({ status, body: bytes }, rulesOf(...lines), {
      caller: callerOf({}, { mayDecrypt }),
      budget: new TransformBudget(),
    });
    return { ...answer, body: answer.body.toString('utf8') };
  }

  /** The values are refused for these reasons, and nothing is stored. */
  async function refuse(body: Answer['body'], rules: string, reasons: Record<string, string>) {
    await expect(apply({ body }, rules)).rejects.toMatchObject(notValid(reasons));
    expect(versionOf(jane)).toBe(0);
  }

  const judge = (lines: string[], caller = callerOf()) =>
    requireStorable(database, rulesOf(...lines), caller);

  /** Decrypts values, with files as their content type and bytes. */
  async function reveal(fpId: string, ...names: string[]): Promise<Record<string, unknown>> {
    const references = names.map(parseIdentifierReference);
    const row = entity(fpId);
    const values = vault.reveal(database, row, { references, version: row.vault_version });
    const revealed: Record<string, unknown> = {};
    for (const [name, value] of values) {
      revealed[name] = value instanceof StoredFile ? [value.contentType, await bytesOf(value)] : value;
    }
    return revealed;
  }

  async function bytesOf(file: StoredFile): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await vault.openFile(file)).chunks()) chunks.push(chunk);
    return Buffer.concat(chunks).toString('base64');
  }

  const versionOf = (fpId: string) => entity(fpId).vault_version;
  const blobCount = () => readdirSync(path).length;
  return {
    database,
    queue,
    vault,
    create,
    jane,
    callerOf,
    apply,
    refuse,
    judge,
    reveal,
    versionOf,
    blobCount,
  };
}

const nobody: FileListener = { stored: () => undefined, removed: () => undefined, purged: () => undefined };
const refused = (code: string, more: object = {}) => expect.objectContaining({ code, ...more }) as Error;
/** A reason may go on with the rule and the kind of its value. */
const notValid = (reasons: Record<string, string>) => ({
  code: 'T120',
  context: Object.fromEntries(
    Object.entries(reasons).map(([name, reason]) => [
      name,
      expect.stringMatching(new RegExp(`^${reason}(?:: rule \\d+ selects an? .+)?$`)) as string,
    ]),
  ),
});

describe('what may be stored', () => {
  test('requireStorable: known identifiers of entities of the space may', () => {
    const { judge, create } = anIngress();
    const acme = create({}, { kind: 'business' });
    expect(() =>
      judge([`id.ssn9=$.a, custom.b=$.b, ${FRONT}=$.c, ${acme}.business.name=$.d, id.us_tax_id=$.e`]),
    ).not.toThrow();
    expect(() => judge([])).not.toThrow();
  });

  test.each(['id.shoe_size', 'nothing', 'custom.', 'card.a.b.number'])(
    'requireStorable: identifier %s is unknown',
    (identifier) => {
      const { judge } = anIngress();
      expect(() => judge([`${identifier}=$.a`])).toThrow(
        refused('invalid_request', {
          message: 'Header x-fp-proxy-ingress-rule: rule 1: its identifier is unknown',
        }),
      );
    },
  );

  test('requireStorable: identifiers of the other kind and derived ones are refused together', () => {
    const { judge, create, jane } = anIngress();
    expect(() => judge([`business.name=$.a, card.a.issuer=$.b, id.zip=$.c`])).toThrow(
      refused(
        'T120',
        notValid({
          'business.name': 'cannot be added to this type of vault',
          'card.a.issuer': 'derived automatically and cannot be written',
        }),
      ),
    );
    const acme = create({}, { kind: 'business' });
    expect(() => judge([`id.zip=$.a, ${acme}.id.zip=$.b`])).toThrow(
      refused('T120', notValid({ [`${acme}.id.zip`]: 'cannot be added to this type of vault' })),
    );
    expect(jane).not.toBe(acme);
  });

  test.each([
    [`${FRONT_TYPE}=$.t`, false],
    [`document.passport.back.image=$.i, ${FRONT_TYPE}=$.t`, false],
    [`fp_id_2.${FRONT}=$.i, ${FRONT_TYPE}=$.t`, false],
    [`${FRONT_TYPE}=$.t, ${FRONT}=$.i`, true],
    ['document.ssn_card.image=$.i, document.ssn_card.front.mime_type=$.t', true],
  ])('requireStorable: the content type in %s may be stored: %s', (line, isStorable) => {
    const { judge, create } = anIngress();
    create();
    const act = () => judge([line]);
    if (isStorable) expect(act).not.toThrow();
    else expect(act).toThrow(refused('T120'));
  });
});

describe('bodies', () => {
  test('apply: without rules any body passes byte for byte', async () => {
    const { apply } = anIngress();
    for (const body of ['', ' {"a" : 1} ', 'text', '{']) {
      expect(await apply({ body })).toEqual({ body, skipped: [], notes: [] });
    }
  });

  test.each([
    [200, '', 'the body is empty'],
    [400, '{', 'the body is no JSON'],
    [503, '<html>', 'the body is no JSON'],
  ])('apply: with status %i %j passes unchanged, its rules skipped', async (status, body, reason) => {
    const { apply, jane, versionOf } = anIngress();
    expect(await apply({ status, body }, 'id.zip=$.a, id.city=$.b | to_ascii')).toEqual({
      body,
      skipped: [1, 2],
      notes: [
        { rule: `${jane}.id.zip=$.a`, matched: false, stored_as: null, reason },
        { rule: `${jane}.id.city=$.b | to_ascii`, matched: false, stored_as: null, reason },
      ],
    });
    expect(versionOf(jane)).toBe(0);
  });

  test.each([
    [200, '{'],
    [399, 'text'],
    [200, ' '],
  ])('apply: with status %i %j fails as an answer that is no JSON', async (status, body) => {
    const { apply } = anIngress();
    await expect(apply({ status, body }, 'id.zip=$.a')).rejects.toMatchObject({
      code: 'proxy_ingress_failed',
      notes: [{ matched: false, stored_as: null, reason: 'the body is no JSON' }],
    });
  });

  test.each([200, 302, 404, 500])('apply: JSON with status %i is taken in', async (status) => {
    const { apply, jane, reveal } = anIngress();
    const { body } = await apply({ status, body: { zip: ' 94117 ' } }, 'id.zip=$.zip');
    expect(body).toBe(`{"zip":"${jane}.id.zip"}`);
    expect(await reveal(jane, 'id.zip')).toEqual({ 'id.zip': '94117' });
  });

  test('apply: what selects nothing or null is skipped and reported, the rest is stored', async () => {
    const { apply, jane, reveal } = anIngress();
    const answer = await apply({ body: { a: null, c: 'Ely' } }, 'id.zip=$.a, id.state=$.b, id.city=$.c');
    const reason = 'the path selects nothing, or null';
    expect(answer).toEqual({
      body: `{"a":null,"c":"${jane}.id.city"}`,
      skipped: [1, 2],
      notes: [
        { rule: `${jane}.id.zip=$.a`, matched: false, stored_as: null, reason },
        { rule: `${jane}.id.state=$.b`, matched: false, stored_as: null, reason },
        { rule: `${jane}.id.city=$.c`, matched: true, stored_as: `${jane}.id.city`, reason: null },
      ],
    });
    expect(await reveal(jane, 'id.city', 'id.zip')).toEqual({ 'id.city': 'Ely', 'id.zip': undefined });
  });

  test('apply: null deletes no stored value', async () => {
    const { apply, create, reveal } = anIngress();
    const john = create({ 'id.city': 'Ely' });
    await apply({ body: { a: null } }, `${john}.id.city=$.a`);
    expect(await reveal(john, 'id.city')).toEqual({ 'id.city': 'Ely' });
  });
});

describe('values', () => {
  test.each<[identifier: string, json: string, stored: JsonValue]>([
    ['card.a.cvc', '424', '424'],
    ['card.a.number', '4242424242424242', '4242424242424242'],
    ['card.a.number', '6304000000000000000', '6304000000000000000'],
    ['id.address_line1', 'true', 'true'],
    ['id.address_line1', '1.0', '1.0'],
    ['id.address_line1', '1e3', '1e3'],
    ['id.address_line1', '12345678901234567890', '12345678901234567890'],
    ['id.ssn9', '"121-12-1212"', '121121212'],
    ['custom.a', '424', 424],
    ['custom.a', '12345678901234567890', parseJson('12345678901234567890')],
    ['custom.a', '[1.0]', parseJson('[1.0]')],
    ['custom.a', 'true', true],
    ['custom.a', '"424"', '424'],
    ['custom.a', '"aGk="', 'aGk='],
    ['custom.a', '{"b":[1,{"__proto__":2}]}', JSON.parse('{"b":[1,{"__proto__":2}]}') as JsonValue],
    ['id.citizenships', '["us","de"]', ['US', 'DE']],
    ['investor_profile.funding_sources', '"savings"', ['savings']],
  ])('apply: %s from %s is stored as %j', async (identifier, json, stored) => {
    const { apply, jane, reveal } = anIngress();
    await apply({ body: `{"v":${json}}` }, `${identifier}=$.v`);
    expect(await reveal(jane, identifier)).toEqual({ [identifier]: stored });
  });

  test.each<[identifier: string, reason: string, values: JsonValue[]]>([
    ['id.zip', 'must be a string', [{ a: 1 }, ['94117']]],
    ['id.zip', 'holds an unpaired surrogate', ['\ud83d']],
    ['id.zip', 'invalid length', ['']],
    ['custom.a', 'holds an unpaired surrogate', [['\ud83d']]],
    ['custom.a', 'nested too deeply', [parseJson(`${'['.repeat(65)}${']'.repeat(65)}`)]],
    ['custom.a', 'invalid length', ['x'.repeat(32 * 1024 + 1), Array<string>(10_000).fill('long')]],
    ['id.citizenships', 'must be a list of strings', ['us', 7]],
    ['card.a.number', 'invalid checksum', [4242424242424241]],
    [FRONT, 'must be base64', ['', ' ', 'aGk', 'aGk=\n', 'aGl=', '-_-_', 1234, true, ['aGk=']]],
    [FRONT, 'must be base64', ['data:image/png;base64,aGk=']],
    ['document.finra_compliance_letter', 'file type not allowed for this identifier', ['aGk=']],
  ])('apply: %s %s: other values are refused', async (identifier, reason, values) => {
    const { refuse } = anIngress();
    for (const value of values) await refuse({ value }, `${identifier}=$.value`, { [identifier]: reason });
  });

  test('apply: a number is a stake, as in PATCH', async () => {
    const { apply, create, reveal } = anIngress();
    const acme = create({}, { kind: 'business' });
    const stake = 'business.beneficial_owners.a.ownership_stake';
    await apply({ body: { v: 12.5 } }, `${acme}.${stake}=$.v`);
    expect(await reveal(acme, stake)).toEqual({ [stake]: 12.5 });
  });

  test('apply: transforms run first, on text with the digits that were sent', async () => {
    const { apply, jane, reveal } = anIngress();
    await apply(
      { body: '{"dob":"12/30/1988","pan":12345678901234567890,"tags":{ "a" : [ 1.0 ] }}' },
      "id.dob=$.dob | date_format('%m/%d/%Y', '%Y-%m-%d'), custom.end=$.pan | suffix(4)",
      'custom.tags=$.tags | to_uppercase',
    );
    expect(await reveal(jane, 'id.dob', 'custom.end', 'custom.tags')).toEqual({
      'id.dob': '1988-12-30',
      'custom.end': '7890',
      'custom.tags': '{"A":[1.0]}',
    });
  });

  test('apply: base64 in lines is refused with what it is', async () => {
    const { apply } = anIngress();
    await expect(apply({ body: { a: 'aGk=\naGk=' } }, `${FRONT}=$.a`)).rejects.toMatchObject({
      notes: [{ reason: 'must be base64: rule 1 selects a string with line ends' }],
    });
  });

  test('apply: every issue is reported at once, of transforms, files and values', async () => {
    const { apply } = anIngress();
    const rules = `id.dob=$.a | date_format('%Y','%Y'), ${FRONT}=$.b, id.zip=$.c, id.city=$.d`;
    const failed = apply({ body: { a: 'x', b: '!', c: '#', d: 'Ely' } }, rules);
    await expect(failed).rejects.toMatchObject({
      ...notValid({
        'id.dob': 'transform date_format failed',
        [FRONT]: 'must be base64',
        'id.zip': 'may hold only letters, digits, spaces and hyphens',
      }),
      notes: [
        'transform date_format failed: rule 1 selects a string',
        'must be base64: rule 2 selects a string',
        'may hold only letters, digits, spaces and hyphens: rule 3 selects a string',
        'another value was refused',
      ].map((reason) => ({ matched: true, stored_as: null, reason })),
    });
  });
});

describe('versions', () => {
  const NO_ZIP = 'may hold only letters, digits, spaces and hyphens';

  test('apply: all values of an entity make one version, and none when nothing changes', async () => {
    const { apply, jane, versionOf } = anIngress();
    const rules = `id.zip=$.zip, id.city=$.city, ${FRONT}=$.image`;
    const body = { zip: '94117', city: 'Ely', image: null };
    await apply({ body, mayDecrypt: true }, rules);
    expect(versionOf(jane)).toBe(1);
    await apply({ body, mayDecrypt: true }, rules);
    expect(versionOf(jane)).toBe(1);
    await apply({ body: { ...body, city: 'March', image: IMAGE } }, rules);
    expect(versionOf(jane)).toBe(2);
  });

  test('apply: for a key that may not decrypt, equal values make a version as others do', async () => {
    const { apply, jane, versionOf } = anIngress();
    for (const version of [1, 2]) {
      await apply({ body: { zip: '94117' } }, 'id.zip=$.zip');
      expect(versionOf(jane)).toBe(version);
    }
  });

  test('apply: several entities are stored together', async () => {
    const { apply, create, jane, reveal, versionOf } = anIngress();
    const acme = create({}, { kind: 'business' });
    const { body } = await apply({ body: ['Ely', 'Acme'] }, `id.city=$[0], ${acme}.business.name=$[1]`);
    expect(body).toBe(`["${jane}.id.city","${acme}.business.name"]`);
    expect([versionOf(jane), versionOf(acme)]).toEqual([1, 1]);
    expect(await reveal(acme, 'business.name')).toEqual({ 'business.name': 'Acme' });
  });

  test.each([[[0]], [[1]], [[0, 1]]])(
    'apply: refusals for entities %j store nothing in any',
    async (wrong) => {
      const { refuse, create, jane, versionOf, blobCount } = anIngress();
      const john = create();
      const zips = [0, 1].map((at) => (wrong.includes(at) ? '#' : '94117'));
      const rules = `id.zip=$[0], ${john}.id.zip=$[1], ${FRONT}=$[2], ${john}.${FRONT}=$[3]`;
      const reasons = wrong.map((at) => [`${[jane, john][at]}.id.zip`, NO_ZIP] as const);
      await refuse([...zips, IMAGE, IMAGE], rules, Object.fromEntries(reasons));
      expect(versionOf(john)).toBe(0);
      expect(blobCount()).toBe(0);
    },
  );

  test('apply: answers that come together each make their version', async () => {
    const { apply, jane, versionOf, reveal } = anIngress();
    await Promise.all([apply({ body: ['Ely'] }, 'id.city=$[0]'), apply({ body: ['94117'] }, 'id.zip=$[0]')]);
    expect(versionOf(jane)).toBe(2);
    expect(await reveal(jane, 'id.city', 'id.zip')).toEqual({ 'id.city': 'Ely', 'id.zip': '94117' });
  });

  test('apply: an entity that went meanwhile takes nothing, nor do the others', async () => {
    const { apply, database, create, jane, versionOf, blobCount } = anIngress();
    const john = create();
    database.prepare('DELETE FROM entities WHERE fp_id = ?').run(john);
    const rules = `id.zip=$[0], ${john}.${FRONT}=$[1]`;
    await expect(apply({ body: ['94117', IMAGE] }, rules)).rejects.toMatchObject({ code: 'not_found' });
    expect(versionOf(jane)).toBe(0);
    expect(blobCount()).toBe(0);
  });
});

describe('files', () => {
  test('apply: base64 becomes a file of the content type that the answer names beside it', async () => {
    const { apply, jane, reveal } = anIngress();
    const rules = `${FRONT_TYPE}=$.type, ${FRONT}=$.image`;
    const { body, skipped } = await apply({ body: { image: IMAGE, type: ' image/heic ' } }, rules);
    expect(body).toBe(`{"image":"${jane}.${FRONT}","type":"${jane}.${FRONT_TYPE}"}`);
    expect(skipped).toEqual([]);
    expect(await reveal(jane, FRONT, FRONT_TYPE)).toEqual({
      [FRONT]: ['image/heic', IMAGE],
      [FRONT_TYPE]: 'image/heic',
    });
  });

  test.each([
    ['image/png', aPng()],
    ['image/jpeg', Buffer.from('ffd8ffe000', 'hex')],
    ['image/gif', Buffer.from('GIF87a-')],
    ['image/gif', Buffer.from('GIF89a-')],
    ['image/webp', Buffer.from('RIFF1234WEBPVP8 ')],
    ['application/pdf', Buffer.from('%PDF-1.7')],
    ['application/octet-stream', Buffer.from('RIFF1234WAVE')],
    ['application/octet-stream', Buffer.from('P')],
    ['application/octet-stream', Buffer.from(' %PDF-1.7')],
  ])('apply: a file without a named content type is recognised as %s', async (type, bytes) => {
    const { apply, jane, reveal } = anIngress();
    const image = bytes.toString('base64');
    const rules = `${FRONT}=$.image, ${FRONT_TYPE}=$.type`;
    expect((await apply({ body: { image, type: null } }, rules)).skipped).toEqual([2]);
    expect(await reveal(jane, FRONT)).toEqual({ [FRONT]: [type, image] });
  });

  const LONG = `image/${'x'.repeat(250)}`;
  test.each<JsonValue>(['', 'png', 'text/html', 'image/png\r\nx-evil: 1', 'image/png; a=b', 7, {}, LONG])(
    'apply: the content type %j is refused for an image',
    async (type) => {
      const { refuse } = anIngress();
      const rules = `${FRONT}=$.image, ${FRONT_TYPE}=$.type`;
      await refuse({ image: 'aGk=', type }, rules, { [FRONT]: 'file type not allowed for this identifier' });
    },
  );

  test('apply: a content type whose image is absent is skipped and stays in the body', async () => {
    const { apply, jane, versionOf } = anIngress();
    const rules = `${FRONT}=$.image, ${FRONT_TYPE}=$.type`;
    expect(await apply({ body: { image: null, type: 'image/png' } }, rules)).toMatchObject({
      body: '{"image":null,"type":"image/png"}',
      skipped: [1, 2],
      notes: [{ matched: false }, { matched: true, stored_as: null, reason: 'its image is absent' }],
    });
    expect(versionOf(jane)).toBe(0);
  });

  test('apply: a file has 10 MiB at most', async () => {
    const { apply, refuse, jane, reveal } = anIngress();
    const name = 'document.custom.a';
    const most = Buffer.alloc(10 * 1024 * 1024, 'k');
    const longer = Buffer.concat([most, Buffer.from('k')]);
    await refuse([longer.toString('base64')], `${name}=$[0]`, { [name]: 'invalid length' });
    await apply({ body: [most.toString('base64')] }, `${name}=$[0]`);
    const { [name]: file } = await reveal(jane, name);
    expect((file as string[])[1] === most.toString('base64')).toBe(true);
  });

  test('apply: an alias and the content type beside it are one file, answered under the names of their rules', async () => {
    const { apply, jane, reveal } = anIngress();
    const rules = 'document.ssn_card.image=$[0], document.ssn_card.front.mime_type=$[1]';
    const { body } = await apply({ body: ['aGk=', 'image/tiff'] }, rules);
    const [image, type] = ['document.ssn_card.front.image', 'document.ssn_card.front.mime_type'] as const;
    expect(JSON.parse(body)).toEqual([`${jane}.document.ssn_card.image`, `${jane}.${type}`]);
    expect(await reveal(jane, image, type)).toEqual({
      [image]: ['image/tiff', 'aGk='],
      [type]: 'image/tiff',
    });
  });

  test('apply: files that could not all be sealed are discarded', async () => {
    const { apply, vault, jane, versionOf, blobCount } = anIngress();
    const { sealFile } = vault;
    let sealed = 0;
    vault.sealFile = async (upload) => {
      if (++sealed === 2) throw new Error('the disk is full');
      return sealFile(upload);
    };
    const rules = `${FRONT}=$[0], document.passport.back.image=$[1]`;
    await expect(apply({ body: ['aGk=', 'aGk='] }, rules)).rejects.toThrow('the disk is full');
    expect(blobCount()).toBe(0);
    expect(versionOf(jane)).toBe(0);
  });
});

test('apply: no message and no note of a refusal holds a value', async () => {
  const { apply } = anIngress();
  const rules = `id.zip=$.Zyxwv.a, ${FRONT}=$.b, id.dob=$.c | date_format('Zyxwv','%Y')`;
  const failed = apply({ body: { Zyxwv: { a: 'Canary#' }, b: 'Canary!', c: 'Canary' } }, rules);
  const error = await failed.then(
    () => undefined,
    (reason: unknown) => reason as Error & { context: unknown; notes: unknown },
  );
  expect(JSON.stringify([error?.message, error?.context, error?.notes])).not.toContain('Canary');
});
