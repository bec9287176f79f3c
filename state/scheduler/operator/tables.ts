import { bool, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'

/** Settings that an operator writes as a whole (behaviour/scheduler#operator). */
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

/** The scheduler configuration. */
export const schedulerConfigurationShape = struct('SchedulerConfiguration', {
  SchedulerAlgorithm: word('binpack', 'spread'),
  ...configurationMembers,
  CreateIndex: uint,
  ModifyIndex: uint,
})
export interface SchedulerConfiguration extends StoredOf<typeof schedulerConfigurationShape> {}

/** A single row under the empty key; none before the first write. */
export const schedulerConfigurations = schedulerTable('configuration', schedulerConfigurationShape)
