import { readBodies } from '@lumenize/structured-clone';
import { web } from '@lumenize/structured-clone/messages';
import type { Extension } from '../../session/extension.ts';

/** Carries values of the web, such as URLs, requests and Blobs, and those of the language that are rare, such as RegExps and sparse arrays. */
export const webValues: Extension = { name: 'webValues', types: web, readBodies };
