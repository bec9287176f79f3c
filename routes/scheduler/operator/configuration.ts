import { quoteGo } from '../../../state/go/text.ts'
import { bool, int, text, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { writtenIndex } from '../../../state/scheduler/indexes.ts'
import {
  configurationOf,
  schedulerConfigurationShape,
} from '../../../state/scheduler/operator/configuration.ts'
import {
  changeConfiguration,
  configurationInputShape,
  requestedConfiguration,
} from '../../../state/scheduler/operator/configuration-changes.ts'
import { refuse } from '../../../state/scheduler/operator/messages.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { requireCoarseRight, requiresAnyOf, within } from '../access.ts'
import { operationsOf, type SchedulerContext } from '../operation.ts'
import { uintError } from '../query.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#operator' })
const path = '/operator/scheduler/configuration'

/** Operations on the configuration of the scheduler. */
export const configurationOperations = [
  operation.get({
    id: 'readSchedulerConfiguration',
    path,
    access: requiresAnyOf('operator:read'),
    summary: 'Read how the scheduler is configured.',
    reply: {
      200: struct('SchedulerConfigurationResponse', {
        SchedulerConfig: schedulerConfigurationShape,
        Index: uint,
        LastContact: int,
        KnownLeader: bool,
        NextToken: text,
      }),
    },
    run({ context }) {
      const { world } = context
      return context.readWithoutWaiting(() => {
        const SchedulerConfig = configurationOf(world)
        const { ModifyIndex: index } = SchedulerConfig
        const KnownLeader = !optionsOf(world).noLeader
        const meta = { Index: index, LastContact: 0, KnownLeader, NextToken: '' }
        return { index, body: { SchedulerConfig, ...meta } }
      })
    },
  }),
  operation.post({
    id: 'writeSchedulerConfiguration',
    path,
    access: within(requiresAnyOf('operator:write')),
    summary: 'Replace the configuration of the scheduler, with `cas` only one that is expected.',
    query: struct({ cas: uint }),
    body: configurationInputShape,
    bodyFault: (why) => refuse('scheduler-configuration-unreadable', { why }),
    reply: { 200: struct('SchedulerSetConfigurationResponse', { Updated: bool, Index: uint }) },
    run({ context, body }) {
      const requested = requestedConfiguration(body())
      const cas = parseCas(context)
      requireCoarseRight(context, 'operator:write')
      const { world } = context
      const Updated = changeConfiguration(world, requested, cas)
      const index = writtenIndex(world)
      return context.writeReply({ Updated, Index: index }, index)
    },
  }),
]

function parseCas({ query }: SchedulerContext): number | undefined {
  if (!query.has('cas')) return undefined
  const value = query.value('cas') ?? ''
  const why = uintError(value)
  if (why !== undefined) throw refuse('scheduler-cas-unreadable', { value: quoteGo(value), why })
  return Number(value)
}
