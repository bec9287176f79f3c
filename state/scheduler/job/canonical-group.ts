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
import { each, filled, laidUnder, saysOnly, unlessEmpty } from './filling.ts'
import type { InputTaskGroup } from './job-shape.ts'
import type { InputMigrate, InputReschedulePolicy, InputUpdate } from './scheduling-shapes.ts'

/** The facts that a group takes from its job. */
interface GroupPlace {
  readonly job: string
  readonly type: string
  readonly secretsNamespace: string
  /** Blocks of the job that lie under the group's own. */
  readonly update: InputUpdate | null
  readonly reschedule: InputReschedulePolicy | null
  readonly migrate: InputMigrate | null
}

/** A group with the defaults of behaviour/scheduler#canonical-form. */
export function canonicalGroup(group: InputTaskGroup, place: GroupPlace): InputTaskGroup {
  const Name = group.Name ?? ''
  const defaults = defaultsOf(place.type)
  const Count = group.Count ?? group.Scaling?.Min ?? 1
  const RestartPolicy = laidUnder(defaults.restart, group.RestartPolicy)
  const service = { job: place.job, group: Name, task: null }
  const { job, secretsNamespace } = place
  const task = { job, secretsNamespace, group: Name, restart: RestartPolicy }
  return {
    ...group,
    Name,
    Count,
    Constraints: unlessEmpty(group.Constraints),
    Affinities: each(group.Affinities, canonicalAffinity),
    Spreads: each(group.Spreads, canonicalSpread),
    Meta: unlessEmpty(group.Meta),
    RestartPolicy,
    ReschedulePolicy: canonicalReschedule(group.ReschedulePolicy, place),
    Migrate: canonicalMigrate(group.Migrate, place),
    Update: canonicalUpdate(group.Update, place.update),
    EphemeralDisk: laidUnder(defaultDisk, group.EphemeralDisk),
    Networks: each(group.Networks, canonicalNetwork),
    Services: each(group.Services, (each) => canonicalService(each, service)),
    Tasks: each(group.Tasks, (each) => canonicalTask(each, task)),
    Volumes: unlessEmpty(group.Volumes),
    Scaling: group.Scaling && canonicalScaling(group.Scaling, Count),
  }
}

function canonicalUpdate(own: InputUpdate | null, job: InputUpdate | null): InputUpdate | null {
  // A job's Update of nothing but zeros is what is left of none: it is not inherited.
  const inherited = job !== null && own === null && saysOnly(job, zeroUpdate) ? null : job
  const merged = laidUnder(inherited, own)
  return merged && filled(merged, defaultUpdate)
}

function canonicalReschedule(
  own: InputReschedulePolicy | null,
  { type, reschedule }: GroupPlace,
): InputReschedulePolicy | null {
  const standard = defaultsOf(type).reschedule
  const merged = laidUnder(reschedule, own)
  return merged === null ? standard : filled(merged, standard ?? zeroReschedule)
}

function canonicalMigrate(
  own: InputMigrate | null,
  { type, migrate }: GroupPlace,
): InputMigrate | null {
  const merged = laidUnder(migrate, own)
  return merged === null ? defaultsOf(type).migrate : filled(merged, defaultMigrate)
}
