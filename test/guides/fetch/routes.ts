export interface Todo {
  text: string;
  since: Date;
}

export async function answer(request: Request, kv: SyncKvStorage): Promise<Response> {
  const todos = kv.get<Todo[]>('todos') ?? [];
  if (request.method === 'GET') return Response.json(todos);
  if (request.method !== 'POST') return new Response('Method not allowed', { status: 405 });
  const body = await request.json<{ text?: unknown } | null>().catch(() => null);
  if (typeof body?.text !== 'string' || body.text === '') return new Response('text is missing', { status: 400 });
  todos.push({ text: body.text, since: new Date() });
  kv.put('todos', todos);
  return Response.json(todos.length, { status: 201 });
}
