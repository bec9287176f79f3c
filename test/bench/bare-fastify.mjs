/**
 * Baseline of the benchmark: a Fastify server that does nothing but HTTP. The server answers GET
 * requests at BARE_PATH, and other methods after parsing their JSON, always with the bytes in
 * BARE_REPLY. BARE_PORT sets the port; by default, any free port is used.
 */
import Fastify from 'fastify'

const reply = process.env['BARE_REPLY'] ?? '{}'
const app = Fastify({ logger: false })
// The APIs send JSON under several media types.
app.addContentTypeParser(
  'application/vnd.api+json',
  { parseAs: 'string' },
  app.getDefaultJsonParser('error', 'error'),
)
app.route({
  method: ['GET', 'POST', 'PUT', 'PATCH'],
  url: process.env['BARE_PATH'] ?? '/',
  handler: (_request, answer) => {
    answer.header('content-type', 'application/json').send(reply)
  },
})
process.stdout.write(
  `Listening ${await app.listen({ port: Number(process.env['BARE_PORT'] ?? 0), host: '127.0.0.1' })}\n`,
)
