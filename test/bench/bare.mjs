/**
 * What the benchmark compares with: a Fastify that does nothing but HTTP. `GET /` sends the bytes
 * in BARE_REPLY, `POST /` parses JSON and answers with them.
 */
import Fastify from 'fastify'

const reply = process.env['BARE_REPLY'] ?? '{}'
const app = Fastify({ logger: false })
app.get('/', (_request, answer) => {
  answer.header('content-type', 'application/json').send(reply)
})
app.post('/', (_request, answer) => {
  answer.header('content-type', 'application/json').send(reply)
})
process.stdout.write(`Listening ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
