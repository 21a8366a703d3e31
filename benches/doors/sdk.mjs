// A server of the protocol's SDK with one tool that does nothing: what the protocol alone costs there.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const text = 'File: small.pdf\nPath: small.pdf\nPages: 1\nFile size: 1453 bytes\nPDF version: 1.7\nPage size: 9 x 9 pt';
const sessions = new Map();

async function opened() {
  const server = new McpServer({ name: 'bench', version: '1' });
  server.registerTool('pdf_info', { description: 'Says the same of everything.' }, async () => ({ content: [{ type: 'text', text }] }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

const http = createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await opened());
  await transport.handleRequest(request, response);
});
http.listen(0, '127.0.0.1', () => console.log(`127.0.0.1:${http.address().port}`));
