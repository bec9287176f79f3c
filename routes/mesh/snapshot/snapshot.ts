import { yieldToEventLoop } from '../../../state/kernel/time.ts'
import { defer } from '../../../state/kernel/worlds/deferred.ts'
import { restoreSnapshot, saveSnapshot } from '../../../state/mesh/snapshot/snapshots.ts'
import { beforeBody } from '../../http/declare/access.ts'
import { sharedValidator } from '../../http/declare/validate.ts'
import { requires } from '../access.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#snapshot' })

export const snapshotOperations = [
  operation.get('saveSnapshot', '/snapshot', {
    access: requires('acl:write'),
    tenancy: 'none',
    summary: 'Save the whole state as an archive.',
    secrets: { reply: [''] },
    reply: { 200: { type: 'string' } },
    run({ context }) {
      const { world } = context
      return context.read(
        () => ({
          index: world.store.index('mesh'),
          body: saveSnapshot(world),
          headers: { 'content-type': 'application/x-gzip' },
        }),
        { replacementWait: { index: 0, wait: 0 } },
      )
    },
  }),
  operation.put('restoreSnapshot', '/snapshot', {
    access: beforeBody(requires('acl:write')),
    tenancy: 'none',
    rawBody: true,
    secrets: { body: [''] },
    summary: 'Replace the whole state with the state in an archive.',
    failures: [500],
    reply: { 200: null },
    run({ context }) {
      const { body, world } = context
      restoreSnapshot(world, body, {
        prepare: (schema) => sharedValidator.prepare(schema),
        matches: (schema, value) => sharedValidator.check(schema, value, 'row').length === 0,
      })
      // The waiting reads are woken after the transaction, so that the reads find the committed
      // state.
      return defer(yieldToEventLoop, () => {
        world.store.watchers.wakeAll()
        return { status: 200 as const }
      })
    },
  }),
]
