/** The escape sequence that shows an image in this terminal; undefined where it shows none. */
export function imageEscape(
  _image: { contentType: string; bytes: Uint8Array },
  _environment: Readonly<Record<string, string | undefined>>,
  _columns: number,
  _rows: number,
): string | undefined {
  return undefined;
}
