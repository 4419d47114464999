/** A path pattern: `*` stands for one segment, `**` for any number of them (contract §11). Linear in the path. */
export function pathGlob(pattern: string): (path: string) => boolean {
  const matches = segmentGlob(pattern);
  return (path) => matches(segments(path));
}

/** The same for a path that is already split. */
export function segmentGlob(pattern: string): (segments: readonly string[]) => boolean {
  const wanted = segments(pattern);
  return (actual) => {
    // The classic two-pointer match: on a mismatch, let the last ** take one segment more.
    let [at, of, star, resume] = [0, 0, -1, 0];
    while (at < actual.length) {
      if (wanted[of] === '**') {
        star = of++;
        resume = at;
      } else if (of < wanted.length && (wanted[of] === '*' || wanted[of] === actual[at])) {
        at++;
        of++;
      } else if (star !== -1) {
        of = star + 1;
        at = ++resume;
      } else return false;
    }
    while (wanted[of] === '**') of++;
    return of === wanted.length;
  };
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
