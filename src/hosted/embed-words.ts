/** The words that the modules put into an app's page, in both languages. */
import type { L10n, Language } from './embed-language.ts';

export function languageOf({ language, locale }: L10n): Language {
  return (language ?? locale)?.startsWith('es') === true ? 'es' : 'en';
}

const ENGLISH = {
  bank: 'Link your bank',
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  hide: 'Hide',
  identity: 'Verify your identity',
  nothing: 'nothing stored',
  save: 'Save',
  show: 'Show',
  verify: 'Verify my identity',
};

export type Words = typeof ENGLISH;

const SPANISH: Words = {
  bank: 'Vincula tu banco',
  cancel: 'Cancelar',
  close: 'Cerrar',
  copied: 'Copiado',
  copy: 'Copiar',
  hide: 'Ocultar',
  identity: 'Verifica tu identidad',
  nothing: 'sin datos',
  save: 'Guardar',
  show: 'Mostrar',
  verify: 'Verificar mi identidad',
};

export function wordsIn(language: Language): Words {
  return language === 'es' ? SPANISH : ENGLISH;
}
