/** Finds the references in texts of the repository: contract sections, documents, headings and decisions. Pure. */

export interface Text {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly content: string;
}

/** The possible targets of a reference. */
export interface ReferenceTargets {
  /** Section numbers of docs/contract.md, such as `4` and `4.2`. */
  readonly sections: ReadonlySet<string>;
  /** Numbers of the listed decisions, such as `A25`. */
  readonly assumptions: ReadonlySet<string>;
  /** Every file of the repository with the anchors of its headings; only Markdown files have anchors. */
  readonly files: ReadonlyMap<string, ReadonlySet<string>>;
}

const SECTION = /\bcontract \(?§(\d+(?:\.\d+)?)/g;
const ASSUMPTION = /\bwhy: '(A\d+)\b/g;
const DOCUMENT = /\bdocs\/[a-z0-9/_-]+\.md(?:#([a-z0-9-]+))?/g;
const LINK = /\]\((?!https?:|mailto:)([^()\s#]*)(?:#([a-z0-9-]+))?\)/g;
/** The pages that name files of today. A decision names those of its day. */
const NAMES_FILES = /^(?:docs\/[^/]+|\.github\/.*|README)\.md$/;
/** A file of the sources or the tests, by its path or the last parts of it. */
const FILE = /`([\w./-]+\.tsx?)`/g;
/** Planning papers that are not part of the repository. */
const ABSENT = /\bDESIGN(?:\.md| §)|\bSTYLE(?:\.md| §)|\bthreats\.md|\bservice-spec\b|\bshared\/spec\b/g;

/** The anchors of a Markdown page's headings, as common repository hosts generate them. */
export function anchorsOf(markdown: string): Set<string> {
  const withoutCode = markdown.replace(/^```[\s\S]*?^```/gm, '');
  const headings = [...withoutCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Section numbers of a contract, and the numbers of the decisions that it lists. */
export function contractTargets(contract: string): Pick<ReferenceTargets, 'sections' | 'assumptions'> {
  return {
    sections: new Set([...contract.matchAll(/^#{2,3} (\d+(?:\.\d+)?) /gm)].map(([, number = '']) => number)),
    assumptions: new Set([...contract.matchAll(/^- (A\d+) /gm)].map(([, number = '']) => number)),
  };
}

/** Each broken reference, as `path: problem`. */
export function brokenReferences(texts: readonly Text[], targets: ReferenceTargets): string[] {
  return texts.flatMap(({ path, content }) => [
    ...[...content.matchAll(SECTION)]
      .filter(([, number = '']) => !targets.sections.has(number))
      .map(([, number]) => `${path}: docs/contract.md has no section ${number}`),
    ...[...content.matchAll(ASSUMPTION)]
      .filter(([, number = '']) => path.startsWith('src/') && !targets.assumptions.has(number))
      .map(([, number]) => `${path}: docs/contract.md lists no decision ${number}`),
    ...[...content.matchAll(DOCUMENT)].flatMap(([whole, anchor]) =>
      missing(path, { target: whole.replace(/#.*/, ''), anchor, targets }),
    ),
    ...[...content.matchAll(ABSENT)].map(([what]) => `${path}: ${what} isn't in the repository`),
    ...(path.endsWith('.md')
      ? [...content.matchAll(LINK)].flatMap(([, target = '', anchor]) =>
          missing(path, { target: target === '' ? path : resolved(path, target), anchor, targets }),
        )
      : []),
    ...(NAMES_FILES.test(path) ? missingFiles(path, content, targets) : []),
  ]);
}

function missingFiles(path: string, content: string, { files }: ReferenceTargets): string[] {
  const all = [...files.keys()];
  const isThere = (name: string) => all.some((file) => `/${file}`.endsWith(`/${name}`));
  return [...content.matchAll(FILE)].flatMap(([, name = '']) =>
    isThere(name) ? [] : [`${path}: there is no ${name}`],
  );
}

function missing(
  path: string,
  { target, anchor, targets }: { target: string; anchor: string | undefined; targets: ReferenceTargets },
): string[] {
  const anchors = targets.files.get(target);
  if (!anchors) return [`${path}: there is no ${target}`];
  if (anchor === undefined || anchors.has(anchor)) return [];
  return [`${path}: ${target} has no heading #${anchor}`];
}

/** Resolves a relative link of a page against the root of the repository. A link to a folder stays the folder. */
function resolved(from: string, link: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of link.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
