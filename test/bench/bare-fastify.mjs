/**
 * What the benchmark compares with: a Fastify that does nothing but HTTP. BARE_PATH, at which it
 * answers GET and, after parsing JSON, the other methods, always with the bytes in BARE_REPLY. BARE_PORT is
 * its port; without it any free one.
 */
import Fastify from 'fastify'

const reply = process.env['BARE_REPLY'] ?? '{}'
const app = Fastify({ logger: false })
// JSON by whatever name its API gives it.
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
