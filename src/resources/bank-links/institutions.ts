/** What the id of an institution is when nothing of its name can be in one. */
const NAMELESS = 'institution';

/** The slug of a name: lower-case letters of ASCII and digits, without accents, hyphens between (contract §7.3). */
export function institutionId(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? NAMELESS : slug;
}
