import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeCertificates } from '../../../src/cli/echo/sink.ts';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PLAIN = { authority: 'the authority', serverCertificate: 'the server', client: undefined };
const MUTUAL = { ...PLAIN, client: { certificate: 'the client', key: 'its key' } };

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('writeCertificates', () => {
  test('writeCertificates: each certificate is a file, for its owner alone', () => {
    using scratch = tempDir();
    const path = join(scratch.path, 'state', 'echo-1');
    const files = writeCertificates(MUTUAL, { path, isOurs: true });
    const paths = [files.authority, files.server, files.client?.certificate ?? '', files.client?.key ?? ''];
    expect(paths.map((each) => readFileSync(each, 'utf8'))).toEqual([
      'the authority',
      'the server',
      'the client',
      'its key',
    ]);
    expect(paths.map(modeOf)).toEqual([0o600, 0o600, 0o600, 0o600]);
    expect(modeOf(path)).toBe(0o700);
  });

  test('writeCertificates: a folder of our own that was left over is emptied, and goes with its files', () => {
    using scratch = tempDir();
    const path = join(scratch.path, 'echo-1');
    writeCertificates(MUTUAL, { path, isOurs: true });
    const files = writeCertificates(PLAIN, { path, isOurs: true });
    expect(files.client).toBeUndefined();
    expect(readdirSync(path).sort()).toEqual(['ca.pem', 'server.pem']);
    files.remove();
    expect(existsSync(path)).toBe(false);
  });

  test('remove: a folder that the user named stays, with everything else in it', () => {
    using scratch = tempDir();
    writeFileSync(join(scratch.path, 'notes.txt'), 'mine');
    writeCertificates(MUTUAL, { path: scratch.path, isOurs: false }).remove();
    expect(readdirSync(scratch.path)).toEqual(['notes.txt']);
  });

  test('writeCertificates: a folder that the user named is made when it is not there', () => {
    using scratch = tempDir();
    const path = join(scratch.path, 'a', 'b');
    writeCertificates(MUTUAL, { path, isOurs: false }).remove();
    expect(modeOf(path)).toBe(0o700);
    expect(readdirSync(path)).toEqual([]);
  });

  test('writeCertificates: replaces no file of the user, and leaves none of ours beside it', () => {
    using scratch = tempDir();
    writeFileSync(join(scratch.path, 'client.pem'), 'mine');
    expect(() => writeCertificates(MUTUAL, { path: scratch.path, isOurs: false })).toThrow(UsageError);
    expect(readdirSync(scratch.path)).toEqual(['client.pem']);
    expect(readFileSync(join(scratch.path, 'client.pem'), 'utf8')).toBe('mine');
  });

  test('writeCertificates: a file in place of the folder is reported as a file', () => {
    using scratch = tempDir();
    const path = join(scratch.path, 'file');
    writeFileSync(path, 'mine');
    expect(() => writeCertificates(MUTUAL, { path, isOurs: false })).toThrow(/^--out is a file;/);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test.each([
    ['below a file', (home: string) => join(home, 'file', 'x')],
    ['a link to nothing', (home: string) => join(home, 'link')],
  ])('writeCertificates: a path that is no folder is reported as such (%s)', (_, pathIn) => {
    using scratch = tempDir();
    writeFileSync(join(scratch.path, 'file'), '');
    symlinkSync(join(scratch.path, 'nothing'), join(scratch.path, 'link'));
    const write = () => writeCertificates(MUTUAL, { path: pathIn(scratch.path), isOurs: false });
    // The message repeats no path.
    expect(write).toThrow(new UsageError('Something in the path of --out is not a folder'));
    expect(existsSync(join(scratch.path, 'nothing'))).toBe(false);
  });

  test('writeCertificates: paths are absolute, for commands that run elsewhere', () => {
    using scratch = tempDir();
    const path = relative(process.cwd(), join(scratch.path, 'echo-1'));
    const files = writeCertificates(PLAIN, { path, isOurs: true });
    expect(files.authority).toBe(join(scratch.path, 'echo-1', 'ca.pem'));
  });
});
