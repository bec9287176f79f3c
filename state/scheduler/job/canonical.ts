import { isEqualInOrder } from '../../kernel/equality.ts'
import { fillDefaults } from '../../kernel/shape/fill-defaults.ts'
import { canonicalAffinity, canonicalSpread } from './canonical-blocks.ts'
import { canonicalGroup } from './canonical-group.ts'
import { defaultsOf, defaultUpdate, zeroUpdate } from './defaults.ts'
import { mapOrNull, nullIfEmpty, withDefaults } from './fill-defaults.ts'
import { type InputJob, type Job, jobShape } from './job-shape.ts'
import { registeredGroup } from './registration-values.ts'
import type { InputUpdate } from './scheduling-shapes.ts'

/**
 * Returns the canonical form of a job as the parse endpoint returns it
 * (behaviour/scheduler#canonical-form): a request with all defaults except the server's.
 * Datacenters stays as written and NodePool is "".
 */
export function canonicalizeInput(input: InputJob): InputJob {
  return canonical(input, input.Namespace ?? 'default')
}

/** The server's input to a job's stored form. */
export interface JobContext {
  /**
   * The resolved namespace of the request, which overrides the job's
   * (behaviour/scheduler#namespace).
   */
  readonly namespace: string
  /** Returns a new ID for a scaling policy. */
  uuid(): string
  /**
   * The current job with this ID. Scaling policies of its groups and tasks keep their IDs, and
   * unchanged groups keep their objects.
   */
  readonly current?: Job | undefined
}

/**
 * Returns the canonical form as the server stores it: complete, with null for empty lists and maps.
 * Keeps members such as Status, Version and the indexes; for jobs from clients call
 * `withoutServerFields` first.
 */
export function storedJob(input: InputJob, context: JobContext): Job {
  const job = canonical(input, context.namespace)
  const { namespace: Namespace, current, uuid } = context
  const registration = { Namespace, Job: job.ID ?? '', Type: job.Type ?? '', current, uuid }
  const stored: InputJob = {
    ...job,
    Namespace,
    Region: job.Region || 'global',
    Priority: job.Priority || 50,
    Datacenters: job.Datacenters ?? ['*'],
    NodePool: job.NodePool || 'default',
    TaskGroups: mapOrNull(job.TaskGroups, (group) => registeredGroup(group, registration)),
    ParameterizedJob: job.ParameterizedJob && {
      ...job.ParameterizedJob,
      Payload: job.ParameterizedJob.Payload || 'optional',
    },
    Update: storedUpdate(job.Update),
    SecretsToken: '',
    MeshToken: '',
  }
  const complete = fillDefaults(stored, jobShape)
  return { ...complete, TaskGroups: reuseGroups(complete.TaskGroups, current?.TaskGroups) }
}

type Groups = Job['TaskGroups']

/** Replaces unchanged groups with the previous objects, so that versions share them. */
function reuseGroups(groups: Groups, before: Groups | undefined): Groups {
  if (groups === null || before === null || before === undefined) return groups
  return groups.map((group) => {
    const previous = before.find(({ Name }) => Name === group.Name)
    return previous !== undefined && isEqualInOrder(previous, group) ? previous : group
  })
}

/**
 * Removes the members that only the server sets from a client's job; Stop and Version are kept
 * (behaviour/scheduler#register).
 */
export function withoutServerFields(input: InputJob): InputJob {
  return {
    ...input,
    ParentID: null,
    Dispatched: null,
    Status: null,
    StatusDescription: null,
    Stable: null,
    SubmitTime: null,
    SchedTokenID: null,
    CreateIndex: null,
    ModifyIndex: null,
    JobModifyIndex: null,
  }
}

function canonical(input: InputJob, namespace: string): InputJob {
  const ID = input.ID ?? ''
  const Type = input.Type ?? 'service'
  const Name = input.Name ?? ID
  const Update = input.Update ? withDefaults(input.Update, defaultUpdate) : defaultsOf(Type).update
  const groupContext = {
    job: Name,
    type: Type,
    secretsNamespace: input.SecretsNamespace ?? '',
    update: Update,
    reschedule: input.Reschedule,
    migrate: input.Migrate,
  }
  return {
    ...withDefaults(input, jobDefaults),
    ID,
    Name,
    Type,
    Namespace: namespace,
    Update,
    Datacenters: nullIfEmpty(input.Datacenters),
    Constraints: nullIfEmpty(input.Constraints),
    Affinities: mapOrNull(input.Affinities, canonicalAffinity),
    Spreads: mapOrNull(input.Spreads, canonicalSpread),
    Meta: nullIfEmpty(input.Meta),
    TaskGroups: mapOrNull(input.TaskGroups, (group) => canonicalGroup(group, groupContext)),
    Periodic: input.Periodic && {
      ...withDefaults(input.Periodic, {
        Enabled: true,
        Spec: '',
        SpecType: 'cron',
        ProhibitOverlap: false,
      }),
      TimeZone: input.Periodic.TimeZone || 'UTC',
    },
    ParameterizedJob: input.ParameterizedJob && {
      Payload: input.ParameterizedJob.Payload ?? '',
      MetaRequired: nullIfEmpty(input.ParameterizedJob.MetaRequired),
      MetaOptional: nullIfEmpty(input.ParameterizedJob.MetaOptional),
    },
    Multiregion: input.Multiregion && canonicalMultiregion(input.Multiregion),
  }
}

const jobDefaults = {
  Region: 'global',
  ParentID: '',
  Priority: 50,
  AllAtOnce: false,
  NodePool: '',
  Dispatched: false,
  Stable: false,
  Stop: false,
  Status: '',
  StatusDescription: '',
  SecretsToken: '',
  SecretsNamespace: '',
  MeshToken: '',
  SchedTokenID: '',
  Version: 0,
  CreateIndex: 0,
  ModifyIndex: 0,
  JobModifyIndex: 0,
} as const satisfies Partial<InputJob>

type InputMultiregion = NonNullable<InputJob['Multiregion']>

function canonicalMultiregion({ Strategy, Regions }: InputMultiregion): InputMultiregion {
  return {
    Strategy: withDefaults(Strategy ?? { MaxParallel: null, OnFailure: null }, {
      MaxParallel: 0,
      OnFailure: '',
    }),
    Regions: mapOrNull(Regions, (region) => ({
      ...withDefaults(region, { Name: '', Count: 1, NodePool: '' }),
      Datacenters: nullIfEmpty(region.Datacenters),
      Meta: nullIfEmpty(region.Meta),
    })),
  }
}

/**
 * Returns the job's stored Update: only two members, because its groups have the others
 * (behaviour/scheduler#canonical-form).
 */
function storedUpdate(update: InputUpdate | null): InputUpdate {
  const MaxParallel = update?.MaxParallel ?? 0
  if (MaxParallel <= 0) return zeroUpdate
  return { ...zeroUpdate, Stagger: update?.Stagger ?? 0, MaxParallel }
}
