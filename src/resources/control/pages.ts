/**
 * Pages and documents for browsers and client generators: OpenAPI, the docs page, the form page, hosted pages (contract
 * §11, §14).
 */
import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { Instance } from './instance.ts';

type PageKeys = Extract<
  EndpointKey,
  | `GET /_kyclone/${'openapi.json' | 'docs' | 'form' | 'form.js'}`
  | `GET /hosted/${'onboarding' | 'bank_link' | 'vault' | 'flow.js'}`
>;

/** Each page is loaded at its first request, so that a start does not pay for it. */
export function pageHandlers(context: {
  readonly instance: Instance;
  readonly settings: LiveSettings;
  /** The browser script of the form page. */
  readonly formScript: () => Promise<string>;
  /** The browser script of the pages of hosted flows. */
  readonly hostedScript: () => Promise<string>;
}): Handlers<PageKeys> {
  const { instance, settings, formScript, hostedScript } = context;

  async function openApi() {
    const { openApiDocument } = await import('../../contract/openapi.ts');
    const { vocabulary } = settings.current;
    return openApiDocument({ vocabulary, version: instance.version, baseUrl: instance.url });
  }

  /** One frame for both: the script decides by the address what to draw. */
  async function flowPage(title: string) {
    const { hostedPage, hostedPolicy } = await import('../../contract/hosted-page.ts');
    const { origins } = settings.current.cors;
    return answer(hostedPage(title, origins), { 'content-security-policy': hostedPolicy(origins) });
  }

  return {
    'GET /_kyclone/openapi.json': async () => answer(await openApi()),
    'GET /_kyclone/docs': async () => {
      const { docsPage, DOCS_PAGE_POLICY } = await import('../../contract/docs-page.ts');
      const { docsReference } = await import('./docs-reference.ts');
      const page = docsPage(await openApi(), docsReference(settings.current.vocabulary));
      return answer(page, { 'content-security-policy': DOCS_PAGE_POLICY });
    },
    'GET /_kyclone/form': async () => {
      const { formPage, FORM_PAGE_POLICY } = await import('../../contract/form-page.ts');
      return answer(formPage(), { 'content-security-policy': FORM_PAGE_POLICY });
    },
    'GET /_kyclone/form.js': async () => answer(await formScript()),
    'GET /hosted/onboarding': () => flowPage('Verify your identity'),
    'GET /hosted/bank_link': () => flowPage('Link your bank'),
    'GET /hosted/vault': async () => {
      const { formPage, FORM_PAGE_POLICY } = await import('../../contract/form-page.ts');
      const { framedBy } = await import('../../contract/hosted-page.ts');
      const policy = framedBy(FORM_PAGE_POLICY, settings.current.cors.origins);
      return answer(formPage(), { 'content-security-policy': policy });
    },
    'GET /hosted/flow.js': async () => answer(await hostedScript()),
  };
}
