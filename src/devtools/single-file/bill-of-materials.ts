/**
 * What the single executable contains, as an SPDX 2.3 document: npm's own list of packages, less those that the bundles
 * don't have, and Node with the libraries in it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHIPPED_AS_THEY_ARE } from './assets.ts';

interface SpdxPackage {
  readonly name: string;
  readonly SPDXID: string;
  readonly versionInfo: string;
  readonly [member: string]: unknown;
}
interface SpdxDocument {
  readonly creationInfo: { readonly created: string };
  readonly packages: readonly SpdxPackage[];
  readonly [member: string]: unknown;
}

/** Members of `process.versions` that are versions of interfaces or of data. */
const NO_LIBRARIES = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode']);

export function billOfMaterials(
  root: string,
  executable: { readonly name: string; readonly sha256: string; readonly node: string },
): SpdxDocument {
  const words = ['sbom', '--sbom-format', 'spdx', '--package-lock-only'];
  const document = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as SpdxDocument;
  const known = new Map(document.packages.map((each) => [`${each.name} ${each.versionInfo}`, each]));
  const own = document.packages.find(({ name }) => name === 'kyclone');
  if (!own) throw new Error('npm lists no kyclone');
  const whole = {
    ...own,
    packageFileName: executable.name,
    primaryPackagePurpose: 'APPLICATION',
    checksums: [{ algorithm: 'SHA256', checksumValue: executable.sha256 }],
  };
  const contained = packagesInside(root).map((name) => {
    const found = known.get(name);
    if (!found) throw new Error(`${name} is in a bundle, and npm doesn't list it`);
    return found;
  });
  const versions = JSON.parse(
    execFileSync(executable.node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
  ) as Record<string, string>;
  const { node: version = '' } = versions;
  const runtime = { ...nodePart('node', version, 'MIT'), supplier: 'Organization: OpenJS Foundation' };
  const libraries = Object.entries(versions)
    .filter(([name]) => !NO_LIBRARIES.has(name))
    .map(([name, each]) => nodePart(name, each, 'NOASSERTION'));
  const contains = (from: SpdxPackage, to: SpdxPackage) => ({
    spdxElementId: from.SPDXID,
    relationshipType: 'CONTAINS',
    relatedSpdxElement: to.SPDXID,
  });
  return {
    ...document,
    name: executable.name,
    // SPDX knows no fractions of a second, which npm writes.
    creationInfo: { ...document.creationInfo, created: document.creationInfo.created.replace(/\.\d+/, '') },
    packages: [whole, ...contained, runtime, ...libraries],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: whole.SPDXID,
      },
      ...[...contained, runtime].map((each) => contains(whole, each)),
      ...libraries.map((each) => contains(runtime, each)),
    ],
  };
}

/** Name and version of each package in a bundle, from the heading of its licence, and of those that are no bundle. */
function packagesInside(root: string): string[] {
  const licences = readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8').split(
    `\n${'-'.repeat(80)}\n\n`,
  );
  const bundled = licences.map((text) => /^(\S+ \S+) \(/.exec(text)?.[1] ?? text);
  const others = SHIPPED_AS_THEY_ARE.map((name) => {
    const file = join(root, 'node_modules', name, 'package.json');
    return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
  });
  return [...new Set([...bundled, ...others])];
}

function nodePart(name: string, version: string, license: string): SpdxPackage {
  return {
    name,
    SPDXID: `SPDXRef-Runtime-${name.replaceAll('_', '-')}-${version.replaceAll(/[^\w.-]/g, '-').replaceAll('_', '-')}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: license,
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:generic/${name}@${encodeURIComponent(version)}`,
      },
    ],
  };
}
