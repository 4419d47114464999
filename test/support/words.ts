/** A tag: returns the words of a text, for lists that would take a line for each. */
export const words = ([text = '']: TemplateStringsArray): string[] => text.trim().split(/\s+/);
