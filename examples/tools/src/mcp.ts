import { createMcpHandler, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Tool } from './tools.ts';

/** Answers a request of the Model Context Protocol: tools are what its caller may call. */
export async function answerMcp(request: Request, tools: readonly Tool[]): Promise<Response> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    for (const { name, about, isReading, schema, call } of tools) {
      const config = {
        description: about,
        inputSchema: schema as unknown as StandardSchemaWithJSON,
        annotations: { readOnlyHint: isReading },
      };
      server.registerTool(name, config, async (input: unknown) => {
        try {
          return { content: [{ type: 'text' as const, text: JSON.stringify(await call(input)) }] };
        } catch (error) {
          // For the model to read: it may call again, with something else.
          return { isError: true, content: [{ type: 'text' as const, text: String(error) }] };
        }
      });
    }
    return server;
  });
  return handler.fetch(request);
}
