import { text } from '../../state/kernel/shape/kinds.ts'
import { answer, noContent, ok } from '../http/declare/operation.ts'
import { operation, spec } from './context.ts'
import { platformPart } from './platform-control.ts'
import { outboxShape } from './platform-shapes.ts'

/** Operations on the platform of one world. */
export const platformOperations = [
  operation({
    id: 'readOutbox',
    method: 'GET',
    path: '/platform/outbox',
    summary: 'List the test mails and text messages that were sent, oldest first.',
    spec,
    reply: { 200: outboxShape },
    run: ({ context }) => ok({ messages: context.world.part(platformPart).outbox() }),
  }),
  operation({
    id: 'readTestRunLog',
    method: 'GET',
    path: '/platform/test-runs/:id/log',
    summary: 'Return the log of a test run, without a request to the platform.',
    spec,
    reply: { 200: text },
    mediaType: 'text/plain',
    run: ({ context, params: { id } }) => {
      const log = context.world.part(platformPart).testRunLog(id, context.process.dialect)
      return answer(200, log, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    },
  }),
  operation({
    id: 'emptyOutbox',
    method: 'DELETE',
    path: '/platform/outbox',
    summary: 'Empty the outbox.',
    spec,
    reply: { 204: null },
    run: ({ context }) => {
      context.world.part(platformPart).emptyOutbox()
      return noContent
    },
  }),
]
