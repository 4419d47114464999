const HEX = /^(?:[0-9A-Fa-f]{2})+$/;

/**
 * The bytes of a hex text of even length, not empty, in either letter case; undefined for anything else.
 * `Buffer.from` alone would silently stop at the first pair that isn't hex.
 */
export function hexBytes(text: string): Buffer | undefined {
  return HEX.test(text) ? Buffer.from(text, 'hex') : undefined;
}
