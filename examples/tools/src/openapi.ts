import { RpcError } from '@lumenize/rpc';
import type { Tool } from './tools.ts';

/** Describes what a caller may call, for generators of clients and for whatever else reads OpenAPI. */
export function describeOpenApi(url: URL, tools: readonly Tool[]): object {
  const json = (schema: object) => ({ content: { 'application/json': { schema } } });
  const operation = ({ name, about, schema }: Tool) => ({
    operationId: name,
    summary: about,
    requestBody: { required: true, ...json(schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })) },
    responses: {
      200: { description: 'The result', ...json({}) },
      400: { description: 'Refused, or thrown by the method', ...json({ $ref: '#/components/schemas/Error' }) },
    },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1.0.0' },
    servers: [{ url: url.href }],
    paths: Object.fromEntries(tools.map((tool) => [`/${tool.name}`, { post: operation(tool) }])),
    components: {
      schemas: { Error: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } } },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }],
  };
}

/** Answers a POST to one of the paths. */
export async function answerOpenApi(request: Request, name: string, tools: readonly Tool[]): Promise<Response> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return new Response('Not found', { status: 404 });
  try {
    return Response.json(await tool.call(await request.json()));
  } catch (error) {
    const code = error instanceof RpcError ? error.code : 'FAILED';
    return Response.json({ code, message: String(error) }, { status: 400 });
  }
}
