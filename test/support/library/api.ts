import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { definePreset, noParameters } from '../../../routes/faults/declare/preset.ts'
import type { Api } from '../../../routes/http/api.ts'
import { ControlPart, partCalls } from '../../../routes/http/declare/control-call.ts'
import { evidenceOf } from '../../../routes/http/declare/coverage.ts'
import { answer, ok, operationFor } from '../../../routes/http/declare/operation.ts'
import { worldOf } from '../../../routes/http/journal-hooks/request-head.ts'
import { registerOperations } from '../../../routes/http/register.ts'
import { createRouter } from '../../../routes/http/router/router.ts'
import type { Service } from '../../../src/services.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { int } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { addBook, bookListShape, bookShape, books, libraryService, newBookShape } from './state.ts'

const spec = 'no specification'
const operation = operationFor<World>()

const operations = [
  operation({
    id: 'addBook',
    method: 'POST',
    path: '/books',
    summary: 'Add a book.',
    spec,
    body: newBookShape,
    reply: { 201: bookShape },
    run: ({ context: world, body }) => answer(201, addBook(world, body)),
  }),
  operation({
    id: 'listBooks',
    method: 'GET',
    path: '/books',
    summary: 'List the books.',
    spec,
    reply: { 200: bookListShape },
    run: ({ context: world }) => ok({ books: [...world.table(books).rows()] }),
  }),
]

const statuses: Readonly<Record<string, number>> = { absent: 404, conflict: 409, invalid: 400 }

function fail(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  const status = error instanceof Refusal ? (statuses[error.kind] ?? 500) : 500
  reply.code(status).send({ error: error.message })
}

function libraryApi(): Api {
  const notFound = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.code(404).send({ error: 'there is nothing here' })
  }
  const prefix = '/library'
  return {
    name: 'library',
    prefix,
    plugin: (app, _options, done) => {
      app.register(
        (inner, _inner, ready) => {
          inner.setErrorHandler<FastifyError>(fail)
          inner.setNotFoundHandler(notFound)
          const router = createRouter(operations, 'tree', ({ method }) => method)
          registerOperations(inner, () => router, {
            world: worldOf,
            context: worldOf,
          })
          ready()
        },
        { prefix },
      )
      done()
    },
    coverage: () => ({
      operations: operations.map(({ id, method, path, summary }) => ({
        id,
        verb: method,
        path: prefix + path,
        summary,
        spec,
        evidence: evidenceOf(spec),
      })),
    }),
    fail,
    notFound,
  }
}

/** Control of one world's library. */
export class LibraryControl extends ControlPart {
  count(): number {
    return this.world.table(books).size
  }
}
const call = partCalls(LibraryControl)

/** Entry for a list of services that serves a library. */
export const library: Service<'library'> = {
  name: 'library',
  state: libraryService,
  api: () => {
    const api = libraryApi()
    return { combined: api, dedicated: api }
  },
  controlCalls: [
    call({
      id: 'countBooks',
      route: 'GET /library/count',
      summary: 'Count the books.',
      reply: struct({ count: int }),
      run: (control) => ({ count: control.count() }),
    }),
  ],
  presets: [
    definePreset({
      name: 'library-closed',
      summary: 'The library is closed: 503 for every request.',
      service: 'library',
      parameters: noParameters,
      source: 'extension',
      apply: () => ({ faults: [{ action: { status: 503 } }] }),
    }),
  ],
}
