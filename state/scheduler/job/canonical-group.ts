import {
  canonicalAffinity,
  canonicalNetwork,
  canonicalScaling,
  canonicalSpread,
} from './canonical-blocks.ts'
import { canonicalService } from './canonical-service.ts'
import { canonicalTask } from './canonical-task.ts'
import {
  defaultDisk,
  defaultMigrate,
  defaultsOf,
  defaultUpdate,
  zeroReschedule,
  zeroUpdate,
} from './defaults.ts'
import { mapOrNull, mergeOver, nullIfEmpty, setsOnly, withDefaults } from './fill-defaults.ts'
import type { InputTaskGroup } from './job-shape.ts'
import type { InputMigrate, InputReschedulePolicy, InputUpdate } from './scheduling-shapes.ts'

/** The facts that a group takes from its job. */
interface GroupContext {
  readonly job: string
  readonly type: string
  readonly secretsNamespace: string
  /** Blocks of the job that lie under the group's own. */
  readonly update: InputUpdate | null
  readonly reschedule: InputReschedulePolicy | null
  readonly migrate: InputMigrate | null
}

/** A group with the defaults of behaviour/scheduler#canonical-form. */
export function canonicalGroup(group: InputTaskGroup, context: GroupContext): InputTaskGroup {
  const Name = group.Name ?? ''
  const defaults = defaultsOf(context.type)
  const Count = group.Count ?? group.Scaling?.Min ?? 1
  const RestartPolicy = mergeOver(defaults.restart, group.RestartPolicy)
  const service = { job: context.job, group: Name, task: null }
  const { job, secretsNamespace } = context
  const task = { job, secretsNamespace, group: Name, restart: RestartPolicy }
  return {
    ...group,
    Name,
    Count,
    Constraints: nullIfEmpty(group.Constraints),
    Affinities: mapOrNull(group.Affinities, canonicalAffinity),
    Spreads: mapOrNull(group.Spreads, canonicalSpread),
    Meta: nullIfEmpty(group.Meta),
    RestartPolicy,
    ReschedulePolicy: canonicalReschedule(group.ReschedulePolicy, context),
    Migrate: canonicalMigrate(group.Migrate, context),
    Update: canonicalUpdate(group.Update, context.update),
    EphemeralDisk: mergeOver(defaultDisk, group.EphemeralDisk),
    Networks: mapOrNull(group.Networks, canonicalNetwork),
    Services: mapOrNull(group.Services, (each) => canonicalService(each, service)),
    Tasks: mapOrNull(group.Tasks, (each) => canonicalTask(each, task)),
    Volumes: nullIfEmpty(group.Volumes),
    Scaling: group.Scaling && canonicalScaling(group.Scaling, Count),
  }
}

function canonicalUpdate(ofGroup: InputUpdate | null, job: InputUpdate | null): InputUpdate | null {
  // A job's Update of nothing but zeros is what is left of none: it is not inherited.
  const inherited = job !== null && ofGroup === null && setsOnly(job, zeroUpdate) ? null : job
  const merged = mergeOver(inherited, ofGroup)
  return merged && withDefaults(merged, defaultUpdate)
}

function canonicalReschedule(
  ofGroup: InputReschedulePolicy | null,
  { type, reschedule }: GroupContext,
): InputReschedulePolicy | null {
  const typeDefault = defaultsOf(type).reschedule
  const merged = mergeOver(reschedule, ofGroup)
  return merged === null ? typeDefault : withDefaults(merged, typeDefault ?? zeroReschedule)
}

function canonicalMigrate(
  ofGroup: InputMigrate | null,
  { type, migrate }: GroupContext,
): InputMigrate | null {
  const merged = mergeOver(migrate, ofGroup)
  return merged === null ? defaultsOf(type).migrate : withDefaults(merged, defaultMigrate)
}
