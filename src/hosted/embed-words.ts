/** The words that the modules put into an app's page, in both languages. */
import type { L10n, Language } from './embed-language.ts';

export function languageOf({ language, locale }: L10n): Language {
  return (language ?? locale)?.startsWith('es') === true ? 'es' : 'en';
}

const WORDS = {
  bank: ['Link your bank', 'Vincula tu banco'],
  cancel: ['Cancel', 'Cancelar'],
  close: ['Close', 'Cerrar'],
  copied: ['Copied', 'Copiado'],
  copy: ['Copy', 'Copiar'],
  hide: ['Hide', 'Ocultar'],
  identity: ['Verify your identity', 'Verifica tu identidad'],
  nothing: ['nothing stored', 'sin datos'],
  save: ['Save', 'Guardar'],
  show: ['Show', 'Mostrar'],
  verify: ['Verify my identity', 'Verificar mi identidad'],
} as const;

export type Words = Readonly<Record<keyof typeof WORDS, string>>;

export function wordsIn(language: Language): Words {
  const words = Object.entries(WORDS).map(([name, [english, spanish]]) => [
    name,
    language === 'es' ? spanish : english,
  ]);
  return Object.fromEntries(words) as Words;
}
