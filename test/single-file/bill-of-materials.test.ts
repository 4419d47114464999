/** What npm run package puts beside the executable. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { EXECUTABLE_NAME, PACKAGED, singleFile } from '../support/single-file.ts';

interface Spdx {
  readonly [member: string]: unknown;
  readonly packages: readonly {
    readonly name: string;
    readonly SPDXID: string;
    readonly versionInfo: string;
    readonly checksums?: readonly { algorithm: string; checksumValue: string }[];
    readonly externalRefs?: readonly object[];
  }[];
  readonly relationships: readonly {
    spdxElementId: string;
    relationshipType: string;
    relatedSpdxElement: string;
  }[];
}

/** Members of a package in the schema of SPDX 2.3 that this list uses. */
const PACKAGE_MEMBERS = [
  'name',
  'SPDXID',
  'versionInfo',
  'packageFileName',
  'description',
  'primaryPackagePurpose',
  'supplier',
  'downloadLocation',
  'filesAnalyzed',
  'homepage',
  'licenseDeclared',
  'externalRefs',
  'checksums',
];

test('SHA256SUMS: sha256sum finds every file of the folder as it is', () => {
  singleFile();
  const printed = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: PACKAGED,
    encoding: 'utf8',
  });
  expect(printed.trim().split('\n')).toEqual(
    ['', '.licenses.txt', '.spdx.json'].map((ending) => `${EXECUTABLE_NAME}${ending}: OK`),
  );
});

test('SPDX: version 2.3 with every required member, and every package once, contained in what it is in', () => {
  const executable = singleFile();
  const document = JSON.parse(readFileSync(`${executable}.spdx.json`, 'utf8')) as Spdx;
  expect(document).toMatchObject({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: EXECUTABLE_NAME,
    documentNamespace: expect.stringMatching(/^https?:\/\/[^#]+$/) as string,
    creationInfo: {
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      creators: [expect.stringMatching(/^Tool: /) as string],
    },
  });
  const ids = document.packages.map(({ SPDXID }) => SPDXID);
  expect(new Set(ids).size).toBe(ids.length);
  for (const each of document.packages) {
    expect(each).toMatchObject({
      name: expect.stringMatching(/./) as string,
      SPDXID: expect.stringMatching(/^SPDXRef-[a-zA-Z0-9.-]+$/) as string,
      downloadLocation: expect.any(String) as string,
      filesAnalyzed: false,
    });
    // SPDX 2.3 refuses members that it doesn't know.
    expect(PACKAGE_MEMBERS).toEqual(expect.arrayContaining(Object.keys(each)));
    for (const { algorithm, checksumValue } of each.checksums ?? []) {
      expect(checksumValue).toMatch(/^[0-9a-f]+$/);
      expect(checksumValue.length * 4).toBe(Number(/^SHA(256|512)$/.exec(algorithm)?.[1]));
    }
    for (const reference of each.externalRefs ?? []) {
      expect(reference).toEqual({
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: expect.stringMatching(/^pkg:\S+$/) as string,
      });
    }
  }
  const [whole] = document.packages;
  const sum = createHash('sha256').update(readFileSync(executable)).digest('hex');
  expect(whole?.checksums).toEqual([{ algorithm: 'SHA256', checksumValue: sum }]);
  expect(document.relationships[0]).toEqual({
    spdxElementId: 'SPDXRef-DOCUMENT',
    relationshipType: 'DESCRIBES',
    relatedSpdxElement: whole?.SPDXID,
  });
  const rest = document.relationships.slice(1);
  expect(rest.every(({ relationshipType }) => relationshipType === 'CONTAINS')).toBe(true);
  expect(rest.map(({ relatedSpdxElement }) => relatedSpdxElement)).toEqual(ids.slice(1));
});

test('SPDX: the bundled packages, the keychain, and the Node that runs with its libraries', () => {
  const executable = singleFile();
  const { packages } = JSON.parse(readFileSync(`${executable}.spdx.json`, 'utf8')) as Spdx;
  const names = new Set(packages.map(({ name, versionInfo }) => `${name} ${versionInfo}`));
  const version = execFileSync(executable, ['--version'], { encoding: 'utf8' });
  expect(names).toContain(`node ${/node-v(\S+)/.exec(version)?.[1] ?? ''}`);
  const { optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  for (const [name, each] of Object.entries({ ...optionalDependencies, ...devDependencies })) {
    const isInside = ['ink', 'react', 'tweetnacl', '@oclif/core', 'yaml'].includes(name);
    const isOutside = ['vitest', 'typescript', '@photostructure/sqlite', 'esbuild'].includes(name);
    if (isInside || isOutside) expect(names.has(`${name} ${each}`), name).toBe(isInside);
  }
  for (const name of [`@napi-rs/keyring-linux-${process.arch}-gnu`, 'openssl', 'v8', 'sqlite', 'zlib']) {
    expect(packages.map((each) => each.name)).toContain(name);
  }
  expect(readFileSync(`${executable}.licenses.txt`, 'utf8')).toMatch(
    /Node\.js is licensed for use[^]*tweetnacl/,
  );
});
