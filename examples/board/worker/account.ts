import { DurableObject } from 'cloudflare:workers';

const ROUNDS = 100_000;

interface Stored {
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly hash: Uint8Array;
}

/** The account of a name. It belongs to whoever signs in first. */
export class Account extends DurableObject {
  async admits(password: string): Promise<boolean> {
    const { salt = crypto.getRandomValues(new Uint8Array(16)) } = this.#stored ?? {};
    const hash = await hashed(password, salt);
    // Another request may have been first while this one was hashed.
    if (this.#stored === undefined) this.ctx.storage.kv.put<Stored>('password', { salt, hash });
    return crypto.subtle.timingSafeEqual(hash, this.#stored!.hash);
  }

  get #stored(): Stored | undefined {
    return this.ctx.storage.kv.get<Stored>('password');
  }
}

async function hashed(password: string, salt: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, ['deriveBits']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}
