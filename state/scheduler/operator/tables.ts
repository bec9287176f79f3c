import { bool, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import { schedulerName } from '../indexes.ts'

/** What an operator sets; written whole each time (behaviour/scheduler#operator). */
export const configurationMembers = {
  PreemptionConfig: struct('PreemptionConfig', {
    SystemSchedulerEnabled: bool,
    SysBatchSchedulerEnabled: bool,
    BatchSchedulerEnabled: bool,
    ServiceSchedulerEnabled: bool,
  }),
  MemoryOversubscriptionEnabled: bool,
  RejectJobRegistration: bool,
  PauseEvalBroker: bool,
} as const

/** How the scheduler is configured. */
export const schedulerConfigurationShape = struct('SchedulerConfiguration', {
  SchedulerAlgorithm: word('binpack', 'spread'),
  ...configurationMembers,
  CreateIndex: uint,
  ModifyIndex: uint,
})
export interface SchedulerConfiguration extends StoredOf<typeof schedulerConfigurationShape> {}

/** One row, by the empty key; none before the configuration is written for the first time. */
export const schedulerConfigurations = defineTable({
  service: schedulerName,
  name: 'configuration',
  shape: schedulerConfigurationShape,
})
