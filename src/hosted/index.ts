/** The script of the pages of hosted flows: it fills the page of contract §14, and does nothing anywhere else. */
import { mountHostedPage } from './page.ts';

mountHostedPage(document);
