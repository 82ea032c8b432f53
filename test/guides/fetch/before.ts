import { DurableObject } from 'cloudflare:workers';
import { answer } from './routes.ts';

export class Todos extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return answer(request, this.ctx.storage.kv);
  }
}

export default {
  async fetch(request, env) {
    const [, path, name] = new URL(request.url).pathname.split('/');
    if (path === 'todos' && name) return env.TODOS.getByName(name).fetch(request);
    return new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<{ TODOS: DurableObjectNamespace }>;
