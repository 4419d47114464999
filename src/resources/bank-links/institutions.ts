/** The id of an institution whose name has no usable characters. */
const NAMELESS = 'institution';

/** The slug of a name: ASCII lower-case letters and digits, without accents, separated by hyphens (contract §7.3). */
export function institutionId(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? NAMELESS : slug;
}
