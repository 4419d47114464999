/**
 * The file of a multipart form, read from real connections. Forms that clients send are accepted, and every other form
 * is refused.
 */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { KIB } from '../../src/kernel/numbers/units.ts';
import {
  BOUNDARY,
  CHUNKED,
  chunk,
  cut,
  DISPOSITION,
  fileForm,
  FORM_TYPE,
  formOf,
  headOf,
  joined,
  LAST_CHUNK,
  lengthOf,
  partOf,
  REFUSALS,
  startUploads,
  UPLOAD_LIMIT_BYTES,
  type Outcome,
} from '../support/uploads.ts';
import { testWith } from '../support/test-with.ts';

const test = testWith(startUploads);

const PROPERTY_RUNS = 100;
const OVERHEAD_BYTES = 64 * KIB;
const FILE = partOf('abc', DISPOSITION);
const OTHER_PART = partOf('b', 'Content-Disposition: form-data; name="secret"');

async function post(body: Buffer, type = FORM_TYPE): Promise<Outcome> {
  await using uploads = await startUploads();
  return await uploads.send([type, lengthOf(body)], body);
}

describe('content', () => {
  test('content: every byte of a file full of boundary look-alikes arrives, however it is split', async (uploads) => {
    const delimiter = `\r\n--${BOUNDARY}`;
    const place = fc.nat({ max: delimiter.length - 1 });
    const piece = fc.oneof(
      place.map((length) => Buffer.from(delimiter.slice(0, length))),
      place.map((start) => Buffer.from(delimiter.slice(start + 1))),
      fc
        .constantFrom('\r\n', '\r', '\n', '--', '\r\n\r\n', `\n--${BOUNDARY}--`)
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    );
    const content = fc
      .array(piece, { minLength: 1, maxLength: 12 })
      .map((pieces) => Buffer.concat(pieces))
      .filter((bytes) => bytes.length > 0 && !joined('\r\n', bytes).includes(delimiter));

    await fc.assert(
      fc.asyncProperty(content, fc.array(fc.nat(), { maxLength: 6 }), async (bytes, places) => {
        const body = fileForm(bytes);
        const outcome = await uploads.send([FORM_TYPE, lengthOf(body)], ...cut(body, places));

        expect(outcome.bytes).toEqual(bytes);
        expect(outcome.size).toBe(bytes.length);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('content: arrives when each byte of the form is a segment of its own', async (uploads) => {
    const bytes = Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}\r\n\r\n-\r`);
    const body = fileForm(bytes, 'Content-Type: a/b', DISPOSITION);
    const segments = [...body].map((byte) => Buffer.of(byte));

    const outcome = await uploads.send([FORM_TYPE, lengthOf(body)], ...segments);

    expect(outcome).toMatchObject({ status: 200, type: 'a/b', bytes });
  });

  test('content: text before the first and after the last boundary is ignored', async (uploads) => {
    const tail = `more\r\n--${BOUNDARY}\r\n`;
    const body = joined('read me\r\n\r\n', fileForm('abc'), tail);

    const outcome = await uploads.send([FORM_TYPE, CHUNKED], chunk(body), chunk(tail), LAST_CHUNK);

    expect(outcome.bytes.toString()).toBe('abc');
  });

  test.eachWith([
    ['a file', new File(['\r\n\u00fc'], 'a "b"\\.png', { type: 'image/png' }), 'image/png'],
    ['a file of no type', new File(['\r\n\u00fc'], '\u00fc.bin\\'), 'application/octet-stream'],
    ['text without a file name', '\r\n\u00fc', 'application/octet-stream'],
  ])('FormData of fetch: %s', async (uploads, _what, value, type) => {
    const form = new FormData();
    form.set('upload_file', value);

    const response = await fetch(uploads.url, { method: 'POST', body: form });

    const base64 = Buffer.from('\r\n\u00fc').toString('base64');
    expect(await response.json()).toEqual({ type, base64, size: 4 });
  });
});

describe('headers of the part', () => {
  test.each([
    ['is kept as sent', ['Content-Type:  Image/PNG; a="b c" ', DISPOSITION], 'Image/PNG; a="b c"'],
    ['is application/octet-stream when absent', [DISPOSITION], 'application/octet-stream'],
    ['is application/octet-stream when empty', [DISPOSITION, 'content-type: '], 'application/octet-stream'],
  ])('content type: %s', async (_what, headers, type) => {
    expect(await post(fileForm('a', ...headers))).toMatchObject({ status: 200, type });
  });

  test.each([
    ...[
      'form-data; name=upload_file',
      'FORM-DATA; filename=a.png ; Name="upload_file"',
      'form-data; filename="a\\"; name=\\"b"; name="upload_file"',
      'form-data; filename="C:\\"; name="upload_file";',
      `form-data; name="upload_file"; filename*=utf-8''%C3%BC`,
    ].map((disposition) => [`the name in ${disposition}`, [`content-disposition: ${disposition}`]] as const),
    ['a transfer encoding without effect', ['Content-Transfer-Encoding: Binary', DISPOSITION]],
    ['headers of nearly 8 KiB', [`x: ${'y'.repeat(8 * KIB - 200)}`, DISPOSITION]],
  ] as const)('headers: %s is read', async (_what, headers) => {
    expect((await post(fileForm('abc', ...headers))).bytes.toString()).toBe('abc');
  });

  test('size: headers over 8 KiB are refused, however they are cut', async (uploads) => {
    const body = fileForm('abc', DISPOSITION, `x: ${'y'.repeat(8 * KIB)}`);

    for (const places of [[], [4000, 8000, 8100, 8191, 8200]]) {
      const outcome = await uploads.send([FORM_TYPE, lengthOf(body)], ...cut(body, places));
      expect(outcome).toMatchObject(REFUSALS.headersTooLarge);
    }
  });

  test('size: headers that never end are refused while they come', async (uploads) => {
    const connection = await uploads.begin([FORM_TYPE, CHUNKED], chunk(`--${BOUNDARY}\r\n`));
    while (!connection.hasAnswer()) await connection.write(chunk('x: y\r\n'.repeat(100)));

    expect(await connection.answer()).toMatchObject(REFUSALS.headersTooLarge);
  });
});

describe('the form', () => {
  const typed = (type: string) => fileForm('a', DISPOSITION, `Content-Type: ${type}`);
  test.each<[what: string, body: Buffer, refusal: object]>([
    ...['image', 'a/b\u00fc', 'a/b\r\nContent-Type: c/d'].map((type): [string, Buffer, object] => [
      `the content type ${type}`,
      typed(type),
      REFUSALS.partNotAType,
    ]),
    ...[
      'form-data; name="secret-name"',
      'form-data; name="UPLOAD_FILE"',
      'form-data; name="upload_file"; name="upload_file"',
      'form-data; filename="; name=upload_file"',
      'form-data; name="upload_file',
      'form-data',
      'attachment; name="upload_file"',
      'form-data; name="upload_file"\r\nContent-Disposition: form-data; name="upload_file"',
    ].map((disposition): [string, Buffer, object] => [
      `a part of ${disposition}`,
      fileForm('abc', `content-disposition: ${disposition}`),
      REFUSALS.notOnePart,
    ]),
    [
      'a transfer encoding',
      fileForm('YQ==', DISPOSITION, 'Content-Transfer-Encoding: base64'),
      { status: 415, code: 'unsupported_media_type' },
    ],
    ['another part behind the file', formOf(FILE, OTHER_PART), REFUSALS.notOnePart],
    ['another part before the file', formOf(OTHER_PART, FILE), REFUSALS.notOnePart],
    ['the file twice', formOf(FILE, FILE), REFUSALS.notOnePart],
    ['a part without headers', formOf(partOf('abc')), REFUSALS.notOnePart],
    ['an end within headers', formOf(joined(`--${BOUNDARY}\r\n${DISPOSITION}\r\n`)), REFUSALS.notOnePart],
    ['no part', formOf(), REFUSALS.notOnePart],
    ['a multipart instead of a file', typed('Multipart/mixed; boundary=b'), REFUSALS.nested],
    ['its end in the file', fileForm('abc').subarray(0, -BOUNDARY.length - 6), REFUSALS.unclosed],
    ['its end in the closing boundary', fileForm('abc').subarray(0, -3), REFUSALS.unclosed],
    ['its end in the headers', fileForm('abc').subarray(0, 40), REFUSALS.unclosed],
    ['its end before it has begun', Buffer.from('abc'), REFUSALS.unclosed],
    ['a file over the limit', fileForm(Buffer.alloc(UPLOAD_LIMIT_BYTES + 1)), REFUSALS.tooLarge],
  ])('refused: %s', async (_what, body, refusal) => {
    expect(await post(body)).toMatchObject(refusal);
  });

  test('parts: another is refused even when the file has been passed on long before', async (uploads) => {
    const outcome = await uploads.send([FORM_TYPE, CHUNKED], chunk(FILE), chunk(formOf(FILE)), LAST_CHUNK);

    expect(outcome).toMatchObject(REFUSALS.notOnePart);
  });

  test('refusal: of a form that has only begun leaves the connection to the next request', async (uploads) => {
    const body = formOf(OTHER_PART, partOf(Buffer.alloc(UPLOAD_LIMIT_BYTES), DISPOSITION));

    const connection = await uploads.begin([FORM_TYPE, lengthOf(body)], body.subarray(0, KIB));
    const refusal = await connection.answer();
    connection.socket.write(body.subarray(KIB));
    connection.socket.write(headOf(lengthOf('next')) + 'next');

    expect(refusal).toMatchObject(REFUSALS.notOnePart);
    expect((await connection.answer()).bytes.toString()).toBe('next');
  });

  test.eachWith([
    ['no boundary', ''],
    ['an empty one', '; boundary=""'],
    ['one that is too long', `; boundary=${'b'.repeat(71)}`],
    ['one that ends with a space', '; boundary="a "'],
    ['one with a quote', '; boundary="a\\"b"'],
    ['two of them', '; boundary=a; boundary=a'],
  ])('boundary: %s is refused before the body is read', async (uploads, _what, parameters) => {
    const type = `content-type: multipart/form-data${parameters}`;

    const outcome = await uploads.send([type, 'content-length: 99']);

    expect([outcome.status, outcome.code]).toEqual([400, 'invalid_request']);
  });

  test.each(["'()+_,-./:=? 9", 'b'.repeat(70), '-'])(
    'boundary: %j is found, in any spelling of the type',
    async (boundary) => {
      const body = joined(`--${boundary}\r\n${DISPOSITION}\r\n\r\nabc\r\n--${boundary}--`);

      const outcome = await post(body, `content-type: Multipart/FORM-data ; x=y; BOUNDARY="${boundary}"`);

      expect(outcome.bytes.toString()).toBe('abc');
    },
  );

  test('size: a file of exactly the limit is taken', async () => {
    expect((await post(fileForm(Buffer.alloc(UPLOAD_LIMIT_BYTES)))).size).toBe(UPLOAD_LIMIT_BYTES);
  });

  test('size: a content-length over the limit and 64 KiB is refused before the form has come', async (uploads) => {
    const outcome = await uploads.send([
      FORM_TYPE,
      `content-length: ${UPLOAD_LIMIT_BYTES + OVERHEAD_BYTES + 1}`,
    ]);

    expect(outcome).toMatchObject(REFUSALS.tooLarge);
  });

  test('size: a form around a small file is refused as soon as it passes the limit and 64 KiB', async (uploads) => {
    const form = fileForm('abc');
    const filling = Buffer.alloc(UPLOAD_LIMIT_BYTES + OVERHEAD_BYTES - form.length);

    const connection = await uploads.begin([FORM_TYPE, CHUNKED], chunk(joined(form, filling)));
    const wasEarly = connection.hasAnswer();
    await connection.write(chunk('x'));

    expect(await connection.answer()).toMatchObject(REFUSALS.tooLarge);
    expect(wasEarly).toBe(false);
  });
});
