import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { definePreset, noParameters } from '../../../routes/faults/declare/preset.ts'
import type { Api } from '../../../routes/http/api.ts'
import { ControlPart, partCalls } from '../../../routes/http/declare/control-call.ts'
import { coverOperations } from '../../../routes/http/declare/coverage.ts'
import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import { answer, ok, operationFor } from '../../../routes/http/declare/operation.ts'
import { InputError } from '../../../routes/http/declare/validate.ts'
import {
  type ApiExplanations,
  takesBody,
} from '../../../routes/http/journal-hooks/api-explanations.ts'
import { worldOf } from '../../../routes/http/journal-hooks/request-head.ts'
import { registerOperations } from '../../../routes/http/register.ts'
import { createRouter } from '../../../routes/http/router/router.ts'
import type { Service } from '../../../src/services.ts'
import { renderMessage } from '../../../state/kernel/message.ts'
import { Refusal, type WordingOf } from '../../../state/kernel/refusal.ts'
import { int } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  addBook,
  bookListShape,
  bookShape,
  books,
  type libraryMessages,
  libraryService,
  newBookShape,
} from './state.ts'

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

const prefix = '/library'
const coverage = () => ({ operations: coverOperations(operations, prefix) })

const statuses: Readonly<Record<string, number>> = { absent: 404, conflict: 409, invalid: 400 }

/** Messages for which the vendor has its own wording. */
const vendorMessages: WordingOf<typeof libraryMessages> = {
  'title-taken': 'duplicate title: {title}',
}

const explanations: ApiExplanations = {
  checks: [
    { name: 'route', rules: ['unknown-path'] },
    { name: 'body', rules: ['body-invalid'], applies: takesBody },
  ],
  spec,
  addresses: () =>
    coverage().operations.map(({ id, verb, path }) => ({ operation: id, method: verb, path })),
  diagnose({ rule, refusal }) {
    if (rule !== 'title-taken') return undefined
    const because = `another book has the title ${String(refusal?.params['title'])}`
    return { because, change: 'Choose another title' }
  },
}

function libraryApi(dialect: DialectName): Api {
  const wording = dialect === 'vendor' ? vendorMessages : {}
  const fail = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void => {
    if (error instanceof Refusal) {
      const text = renderMessage(error.reason, wording)
      reply.code(statuses[error.kind] ?? 500).send({ error: text })
      return
    }
    reply.code(error instanceof InputError ? 400 : 500).send({ error: error.message })
  }
  const notFound = (_request: FastifyRequest, reply: FastifyReply) => {
    reply.code(404).send({ error: 'there is nothing here' })
  }
  return {
    name: 'library',
    prefix,
    secretHeaders: ['x-library-card'],
    explanations,
    plugin: (app, _options, registered) => {
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
      registered()
    },
    coverage,
    fail,
    notFound,
  }
}

export class LibraryControl extends ControlPart {
  count(): number {
    return this.world.table(books).size
  }
}
const call = partCalls(LibraryControl)

/** Service `library` in the form in which a program lists its services. */
export const library: Service<'library'> = {
  name: 'library',
  state: libraryService,
  api: (dialect) => {
    const api = libraryApi(dialect)
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
