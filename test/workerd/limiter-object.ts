import { DurableObject } from 'cloudflare:workers';

/** What reached each object of the class below: that it was made, and the requests that it got. */
const reached = new Map<string, string[]>();

/** Returns what reached an object, without waking it. */
export function reachedLimiter(id: DurableObjectId): readonly string[] {
  return reached.get(`${id}`) ?? [];
}

/** A class of the application's own that knows nothing of the library, and believes what its Worker asks for. */
export class LimiterObject extends DurableObject {
  constructor(ctx: DurableObjectState) {
    super(ctx, {});
    reached.set(`${ctx.id}`, [...reachedLimiter(ctx.id), 'made']);
  }

  override fetch(request: Request): Response {
    reached.get(`${this.ctx.id}`)?.push(`${request.method} ${request.headers.get('Authorization')}`);
    return new Response('the limit is set');
  }
}
