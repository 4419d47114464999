/** Writing where other users can plant links. The tests with other owners need root. */
import { closeSync, chmodSync, existsSync, lchownSync, linkSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeStarter } from '../../../src/cli/commands/init.ts';
import { openToWrite, placeToWrite } from '../../../src/kernel/files/file-to-write.ts';
import { saveWhole } from '../../../src/client/whole-file.ts';
import { writeCertificates } from '../../../src/cli/echo/sink.ts';
import { appendSummary } from '../../../src/cli/exec/messages.ts';
import { openLog } from '../../../src/daemon/log.ts';
import { requireImportable } from '../../../src/daemon/carried-state.ts';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { makeFolder, makePrivateFolder } from '../../../src/kernel/files/private-folder.ts';
import { readKeyFile, readOrCreateKeyFile } from '../../../src/vault/keyring/key-file.ts';

const SOMEBODY = 65_534;
const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('a file to write among other users', () => {
  let top: string;
  const at = (...names: string[]) => join(top, ...names);
  const mine = () => readFileSync(at('mine', 'file'), 'utf8');

  beforeEach(() => {
    top = mkdtempSync('/tmp/kyclone-test-');
    for (const name of ['mine', 'shared', 'own']) mkdirSync(at(name));
    chmodSync(at('shared'), 0o1777);
    writeFileSync(at('mine', 'file'), 'precious\n');
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  const link = (target: string, path: string, owner = SOMEBODY) => {
    symlinkSync(target, path);
    lchownSync(path, owner, owner);
  };

  function write(path: string, text: string, options?: Parameters<typeof openToWrite>[1]): void {
    const file = openToWrite(path, options);
    writeSync(file, text);
    closeSync(file);
  }

  test('openToWrite: creates, appends, and empties first if asked', () => {
    write(at('own', 'log'), 'one\n');
    write(at('own', 'log'), 'two\n');
    expect(readFileSync(at('own', 'log'), 'utf8')).toBe('one\ntwo\n');
    write(at('own', 'log'), 'three\n', { isEmptied: true });
    expect(readFileSync(at('own', 'log'), 'utf8')).toBe('three\n');
  });

  test.runIf(isRoot)(
    'folders and keys are not made, and keys not read, through the link of another user',
    () => {
      link(at('mine'), at('shared', 'to-mine'));
      const through = (...names: string[]) => at('shared', 'to-mine', ...names);
      for (const make of [makePrivateFolder, makeFolder]) {
        expect(() => make(through('made'))).toThrow(/link of another user/);
      }
      const location = { path: through('keys', 'a.key'), dataDirectory: undefined };
      expect(() => readOrCreateKeyFile(location)).toThrow(/link of another user/);
      expect(readdirSync(at('mine'))).toEqual(['file']);
      writeFileSync(at('mine', 'a.key'), `# key\n${'ab'.repeat(32)}\n`, { mode: 0o600 });
      const planted = { ...location, path: through('a.key') };
      expect(() => readKeyFile(planted)).toThrow(/link of another user/);
      symlinkSync(at('mine'), at('own', 'to-mine'));
      expect(readKeyFile({ ...location, path: at('own', 'to-mine', 'a.key') })).toBeDefined();
    },
  );

  test('openToWrite: follows the links of this user, also to a file that is not there yet', () => {
    symlinkSync('../mine/file', at('own', 'log'));
    symlinkSync('own', at('folder'));
    write(at('folder', 'log'), 'more\n');
    expect(mine()).toBe('precious\nmore\n');
    symlinkSync('../mine/new', at('own', 'dangling'));
    write(at('own', 'dangling'), 'new\n');
    expect(readFileSync(at('mine', 'new'), 'utf8')).toBe('new\n');
    expect(() => openToWrite(at('own', 'log'), { followsOwn: false })).toThrow('ELOOP');
  });

  test('openToWrite: an open file of this process can be named', () => {
    const file = openToWrite(at('own', 'log'));
    write(`/dev/fd/${file}`, 'text\n');
    closeSync(file);
    expect(readFileSync(at('own', 'log'), 'utf8')).toBe('text\n');
  });

  test('placeToWrite: a circle of links is refused', () => {
    symlinkSync('two', at('one'));
    symlinkSync('one', at('two'));
    expect(() => placeToWrite(at('one', 'log'))).toThrow('too many links');
  });

  test('openToWrite: in a folder where others write, a file with a second name is refused', () => {
    linkSync(at('mine', 'file'), at('shared', 'log'));
    expect(() => openToWrite(at('shared', 'log'), { isEmptied: true })).toThrow('has a second name');
    expect(mine()).toBe('precious\n');
    linkSync(at('mine', 'file'), at('own', 'log'));
    write(at('own', 'log'), 'more\n');
    expect(mine()).toBe('precious\nmore\n');
  });

  describe.skipIf(!isRoot)('with a link of another user', () => {
    const refusal = (path: string) => `${path} is a link of another user`;

    test.each([{}, { isEmptied: true }])('openToWrite %j: none is followed', (options) => {
      link('../mine/file', at('shared', 'log'));
      link('../mine', at('shared', 'folder'));
      link('../mine/new', at('shared', 'dangling'));
      symlinkSync('../shared/log', at('own', 'log'));
      for (const [path, culprit] of [
        ['shared/log', 'shared/log'],
        ['shared/folder/file', 'shared/folder'],
        ['shared/folder/new', 'shared/folder'],
        ['shared/dangling', 'shared/dangling'],
        ['own/log', 'shared/log'],
      ] as const) {
        expect(() => openToWrite(at(path), options)).toThrow(refusal(at(culprit)));
      }
      expect(mine()).toBe('precious\n');
      expect(existsSync(at('mine', 'new'))).toBe(false);
    });

    test('every writer refuses a folder behind it, and writes nothing there', async () => {
      link('../mine', at('shared', 'folder'));
      link('../mine/file', at('shared', 'log'));
      const folder = at('shared', 'folder');
      expect(() => openLog(at('shared', 'log'), systemClock)).toThrow(refusal(at('shared', 'log')));
      expect(appendSummary(at('shared', 'log'), 'text')).toContain(refusal(at('shared', 'log')));
      expect(() => writeStarter(folder, true)).toThrow(refusal(folder));
      const pems = { authority: 'a', serverCertificate: 'b', client: undefined };
      expect(() => writeCertificates(pems, { path: folder, isOurs: false })).toThrow(refusal(folder));
      expect(() => requireImportable({ exportFile: join(folder, 'state') }, {} as never)).toThrow(
        refusal(folder),
      );
      const content = (async function* () {
        await Promise.resolve();
        yield Buffer.from('text');
      })();
      const saved = saveWhole(() => Promise.resolve({ content }), {
        path: join(folder, 'new'),
        mayReplace: true,
      });
      await expect(saved).rejects.toMatchObject({ reason: 'foreign_link' });
      expect(mine()).toBe('precious\n');
      expect(existsSync(at('mine', 'new'))).toBe(false);
    });
  });
});
