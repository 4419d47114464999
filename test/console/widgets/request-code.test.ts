/** Runs the code that the request builder writes, with the real tools, and compares what arrives. */
import '../../support/tier-all.ts';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  CODE_LANGUAGES,
  requestCode,
  type CodeLanguage,
  type CodeRequest,
} from '../../../src/console/widgets/request-code.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { findProgram } from '../../torture/tools.ts';

const run = promisify(execFile);

/** The file of the code, and the command that runs it. */
const RUNS: Readonly<Record<CodeLanguage, readonly [file: string, command: string, ...words: string[]]>> = {
  curl: ['request.sh', 'sh', 'request.sh'],
  Node: ['request.mjs', 'node', 'request.mjs'],
  Python: ['request.py', 'python3', 'request.py'],
  Go: ['request.go', 'go', 'run', 'request.go'],
  Java: ['Request.java', 'java', 'Request.java'],
};

const TOOLS = CODE_LANGUAGES.map((language) => {
  const [, command] = RUNS[language];
  return { language, isThere: process.env['CI'] === 'true' || findProgram(command) !== undefined };
});

const NASTY = `'; $(touch pwned) \`touch pwned\` "\\" \\u0041 \\n %s \${HOME} #{x} é 日本 \u{1f600} \u2028 \t end`;

const REQUESTS: readonly (readonly [string, CodeRequest])[] = [
  [
    'a POST with a key, headers and a body of special characters',
    {
      method: 'POST',
      path: `/users/${encodeURIComponent("a'b$(x)")}/vault?note=${encodeURIComponent('a b&[c]"')}`,
      credential: 'key',
      headers: { 'content-type': 'application/json', 'x-external-id': `it's "quoted" $HOME \\` },
      body: JSON.stringify({ note: NASTY, lone: '\ud800' }, null, 2),
    },
  ],
  [
    'a GET with the control token',
    { method: 'GET', path: '/_kyclone/clock', credential: 'control', headers: {}, body: undefined },
  ],
  [
    'a DELETE with a token and a body',
    {
      method: 'DELETE',
      path: '/x',
      credential: 'token',
      headers: { 'content-type': 'application/json' },
      body: '{"all":true}',
    },
  ],
  [
    'a file',
    {
      method: 'POST',
      path: '/upload',
      credential: 'key',
      headers: { 'content-type': 'application/octet-stream' },
      body: undefined,
      file: "a 'file'.bin",
    },
  ],
];

const CREDENTIALS = {
  key: /^Basic c2tfdGVzdF8xOg==$|^sk_test_1$/,
  control: /^Bearer control_1$/,
  token: /^cttok_1$/,
} as const;

for (const { language, isThere } of TOOLS) {
  describe.skipIf(!isThere)(`requestCode: ${language}`, () => {
    test.each(REQUESTS)('%s arrives as it is', async (_, request) => {
      using folder = tempDir();
      await using server = await loopbackServer(answerJson(404, { code: 'not_found' }));
      const [file, command, ...words] = RUNS[language];
      writeFileSync(join(folder.path, file), requestCode(language, request));
      writeFileSync(join(folder.path, "a 'file'.bin"), Buffer.from([0, 1, 254, 255]));

      const { stdout } = await run(command, words, {
        cwd: folder.path,
        env: {
          ...process.env,
          KYCLONE_BASE_URL: server.url,
          KYCLONE_API_KEY: 'sk_test_1',
          KYCLONE_CONTROL_TOKEN: 'control_1',
          CLIENT_TOKEN: 'cttok_1',
        },
      });

      expect(stdout).toContain('not_found');
      expect(server.seen).toHaveLength(1);
      const [seen] = server.seen;
      expect([seen?.method, seen?.url]).toEqual([request.method, request.path]);
      for (const [name, value] of Object.entries(request.headers)) expect(seen?.headers[name]).toBe(value);
      const { headers } = seen ?? {};
      const credential =
        request.credential === 'token'
          ? headers?.['x-fp-authorization']
          : (headers?.authorization ?? headers?.['x-service-secret-key']);
      if (request.credential !== 'none') expect(credential).toMatch(CREDENTIALS[request.credential]);
      expect(request.file === undefined ? seen?.body : seen?.bytes).toEqual(
        request.file === undefined ? (request.body ?? '') : Buffer.from([0, 1, 254, 255]),
      );
    });
  });
}

test.each(CODE_LANGUAGES)(
  'requestCode: %s contains no credential that was typed into a field',
  (language) => {
    const code = requestCode(language, {
      method: 'POST',
      path: '/x/cttok_0123456789abcdefABCDEF',
      credential: 'key',
      headers: { 'x-a': 'sk_test_0123456789abcdefABCDEF' },
      body: '{"key":"sk_live_0123456789abcdefABCDEF"}',
    });
    expect(code).not.toContain('0123456789abcdef');
    expect(code).toContain('KYCLONE_API_KEY');
  },
);
