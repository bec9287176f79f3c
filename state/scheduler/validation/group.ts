import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { multiplyIntegers } from '../../kernel/integers.ts'
import type { Message } from '../../kernel/message.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import type { Disconnect, RestartPolicy, Scaling } from '../job/scheduling-shapes.ts'
import { affinityErrors, constraintErrors, spreadErrors } from './constraint.ts'
import { combineErrors, eachItemErrors, failedChecks, nameErrors } from './errors.ts'
import { message } from './group-messages.ts'
import { networkErrors } from './network.ts'
import { migrateErrors, rescheduleErrors, updateErrors } from './reschedule.ts'
import { message as schedulingMessage } from './scheduling-messages.ts'
import { groupServiceErrors, scriptCheckErrors } from './service.ts'
import { taskErrors } from './task.ts'

type VolumeRequest = NonNullable<TaskGroup['Volumes']>[string]
type ErrorOrFalse = false | Message

function volumeErrors(group: TaskGroup, type: string): readonly Message[] {
  return Object.entries(group.Volumes ?? {})
    .sort(([a], [b]) => compareBytewise(a, b))
    .flatMap(([name, volume]) => {
      const typeErrors = volume.Type === 'host' ? hostErrors(volume) : csiErrors(volume, group)
      return combineErrors([...commonErrors(volume, group, type), ...typeErrors], (errors) =>
        message('group-volume-invalid', { name, errors }),
      )
    })
}

function commonErrors(
  { Source, PerAlloc }: VolumeRequest,
  { Update }: TaskGroup,
  type: string,
): readonly Message[] {
  return failedChecks(
    Source === '' && message('volume-source-empty'),
    PerAlloc && (type === 'system' || type === 'sysbatch') && message('volume-per-alloc-system'),
    PerAlloc && (Update?.Canary ?? 0) > 0 && message('volume-per-alloc-canary'),
  )
}

function hostErrors(volume: VolumeRequest): readonly Message[] {
  return failedChecks(
    volume.AttachmentMode !== '' && message('volume-host-attachment'),
    volume.AccessMode !== '' && message('volume-host-access'),
    volume.MountOptions !== null && message('volume-host-options'),
  )
}

function csiErrors(volume: VolumeRequest, { Count }: TaskGroup): readonly Message[] {
  const { AttachmentMode, MountOptions, PerAlloc } = volume
  return failedChecks(
    AttachmentMode === '' && message('volume-attachment-missing'),
    AttachmentMode === 'block-device' && MountOptions !== null && message('volume-block-options'),
    ...accessModeErrors(volume, Count > 1 && !PerAlloc),
  )
}

/**
 * Returns the results of the checks of a volume's access mode. A result is an error, or false if
 * the check succeeds.
 *
 * @param isShared true if several allocations use the volume
 */
function accessModeErrors({ AccessMode: mode, ReadOnly }: VolumeRequest, isShared: boolean) {
  const readOnlyCheck: ErrorOrFalse = !ReadOnly && message('volume-mode-reads', { mode })
  const exclusiveUseError = (isBroken: boolean, user: string): ErrorOrFalse =>
    isBroken && message('volume-mode-alone', { mode, user })
  switch (mode) {
    case '':
      return [message('volume-mode-missing')]
    case 'single-node-reader-only':
      return [readOnlyCheck, exclusiveUseError(isShared, 'reader')]
    case 'single-node-writer':
      return [exclusiveUseError(isShared, 'reader or writer')]
    case 'multi-node-reader-only':
      return [readOnlyCheck]
    case 'multi-node-single-writer':
      return [exclusiveUseError(isShared && !ReadOnly, 'writer')]
    default:
      return []
  }
}

const minInterval = 5 * SECOND

/** Returns the errors of a restart policy (behaviour/scheduler#validation). */
function restartErrors({ Attempts: attempts, Interval, Delay, Mode }: RestartPolicy) {
  const interval = formatGoDuration(Interval)
  const mode = quoteGo(Mode)
  return failedChecks(
    Mode !== 'delay' && Mode !== 'fail' && schedulingMessage('restart-mode-unknown', { mode }),
    attempts === 0 && Mode !== 'fail' && schedulingMessage('restart-ambiguous', { mode }),
    Interval < minInterval && schedulingMessage('restart-interval-short', { interval }),
    multiplyIntegers(attempts, Delay) > Interval &&
      schedulingMessage('restart-impossible', {
        attempts,
        interval,
        delay: formatGoDuration(Delay),
      }),
  )
}

/**
 * Returns the errors of a group and its tasks (behaviour/scheduler#validation). As in the newest
 * versions of the reference, errors of the group's policies are listed beside the errors of the
 * group itself. Errors of other parts of the group, such as networks and tasks, are nested in one
 * error per part.
 *
 * @param type the job's type
 */
export function groupErrors(group: TaskGroup, type: string): readonly Message[] {
  const leadingErrors = [...countErrors(group), ...disconnectErrors(group)]
  const conflict = disconnectConflict(group)
  // As in the reference, a conflict hides all later errors.
  if (conflict !== undefined) return [...leadingErrors, conflict]
  return [
    ...leadingErrors,
    ...(group.Disconnect ? disconnectBlockErrors(group.Disconnect, type) : []),
    ...eachItemErrors(group.Constraints, 'Constraint', constraintErrors),
    ...(type === 'system'
      ? failedChecks(group.Affinities !== null && schedulingMessage('system-affinity'))
      : eachItemErrors(group.Affinities, 'Affinity', affinityErrors)),
    ...(group.RestartPolicy === null ? [] : restartErrors(group.RestartPolicy)),
    ...(type === 'system'
      ? failedChecks(group.Spreads !== null && schedulingMessage('system-spread'))
      : eachItemErrors(group.Spreads, 'Spread', spreadErrors)),
    ...groupRescheduleErrors(group, type),
    ...diskErrors(group),
    ...groupUpdateErrors(group, type),
    ...groupMigrateErrors(group, type),
    ...taskListErrors(group),
    ...volumeErrors(group, type),
    ...combineErrors(networkErrors(group), (errors) =>
      message('group-network-invalid', { errors }),
    ),
    ...combineErrors(groupServiceErrors(group), (errors) =>
      message('group-service-invalid', { errors }),
    ),
    ...combineErrors(scriptCheckErrors(group), (errors) =>
      message('group-check-invalid', { errors }),
    ),
    ...combineErrors(scalingErrors(group), (errors) =>
      message('group-scaling-invalid', { errors }),
    ),
    ...(group.Tasks ?? []).flatMap((task) =>
      combineErrors(taskErrors(task, group, type), (errors) =>
        message('task-invalid', { name: task.Name, errors }),
      ),
    ),
  ]
}

function countErrors({ Name, Count, Tasks }: TaskGroup): readonly Message[] {
  return failedChecks(
    Name === '' && message('group-name-missing'),
    Name.includes('\0') && message('group-name-null'),
    Count < 0 && message('group-count-negative'),
    Tasks === null && message('group-tasks-missing'),
  )
}

function disconnectErrors(group: TaskGroup): readonly Message[] {
  const { MaxClientDisconnect, StopAfterClientDisconnect } = group
  return failedChecks(
    MaxClientDisconnect !== null &&
      StopAfterClientDisconnect !== null &&
      message('disconnect-both'),
    (MaxClientDisconnect ?? 0) < 0 && message('max-disconnect-negative'),
  )
}

/**
 * Returns an error if a group sets the same behaviour in its disconnect block and in another
 * member.
 */
function disconnectConflict(group: TaskGroup): Message | undefined {
  const { Disconnect, PreventRescheduleOnLost } = group
  if (!Disconnect) return undefined
  const [conflict] = failedChecks(
    group.MaxClientDisconnect !== null &&
      (Disconnect.LostAfter ?? 0) > 0 &&
      message('disconnect-both-lost'),
    group.StopAfterClientDisconnect !== null &&
      Disconnect.StopOnClientAfter != null &&
      message('disconnect-both-stop'),
    PreventRescheduleOnLost === true &&
      Disconnect.Replace != null &&
      message('disconnect-both-replace'),
  )
  return conflict
}

const reconcileOptions = ['', 'best_score', 'longest_running', 'keep_original', 'keep_replacement']

function disconnectBlockErrors(block: Disconnect, type: string): readonly Message[] {
  const { LostAfter = 0, StopOnClientAfter: stopAfter = null, Reconcile = '' } = block
  return failedChecks(
    (stopAfter ?? 0) < 0 && message('disconnect-stop-negative'),
    stopAfter !== null && !['service', 'batch'].includes(type) && message('disconnect-stop-type'),
    LostAfter < 0 && message('disconnect-lost-negative'),
    stopAfter !== null && LostAfter !== 0 && message('disconnect-stop-and-lost'),
    !reconcileOptions.includes(Reconcile) &&
      message('disconnect-reconcile-unknown', { option: Reconcile }),
  )
}

function groupRescheduleErrors({ Name, ReschedulePolicy }: TaskGroup, type: string) {
  if (type === 'system') {
    return failedChecks(ReschedulePolicy !== null && message('system-reschedule'))
  }
  return ReschedulePolicy === null
    ? [message('reschedule-missing', { name: Name })]
    : rescheduleErrors(ReschedulePolicy)
}

function diskErrors({ EphemeralDisk }: TaskGroup): readonly Message[] {
  const size = EphemeralDisk?.SizeMB ?? 0
  return failedChecks(size < 10 && message('disk-too-small', { size }))
}

function groupUpdateErrors({ Update }: TaskGroup, type: string): readonly Message[] {
  if (Update === null) return []
  const supportsUpdates = type === 'service' || type === 'system'
  return [
    ...failedChecks(!supportsUpdates && message('update-type', { type: quoteGo(type) })),
    ...updateErrors(Update),
  ]
}

function groupMigrateErrors({ Migrate }: TaskGroup, type: string): readonly Message[] {
  if (Migrate === null) return []
  return type === 'service'
    ? migrateErrors(Migrate)
    : [message('migrate-type', { type: quoteGo(type) })]
}

function taskListErrors({ Tasks }: TaskGroup): readonly Message[] {
  const tasks = Tasks ?? []
  const names = nameErrors(tasks, {
    missing: (at) => message('task-unnamed', { at }),
    duplicate: (at, name, first) => message('task-again', { at, name, first }),
  })
  return [
    ...names.flat(),
    ...failedChecks(tasks.filter(({ Leader }) => Leader).length > 1 && message('leader-again')),
  ]
}

function scalingErrors({ Scaling, Count }: TaskGroup): readonly Message[] {
  if (Scaling === null) return []
  return [
    ...targetErrors(Scaling),
    ...boundsErrors(Scaling),
    ...failedChecks(
      Scaling.Max < Count && message('scaling-maximum-exceeded'),
      Count < Scaling.Min && message('scaling-minimum-missed'),
    ),
  ].map((error) => message('scaling-invalid', { error }))
}

function targetErrors({ Type, Target }: Scaling): readonly Message[] {
  if (Type !== 'horizontal') return []
  return failedChecks(
    Target?.Job === '' && message('scaling-job-missing'),
    Target?.Group === '' && message('scaling-group-missing'),
  )
}

function boundsErrors({ Type, Min, Max }: Scaling): readonly Message[] {
  return failedChecks(
    Type !== 'horizontal' && message('scaling-type-unknown', { type: quoteGo(Type) }),
    Max < 0 && message('scaling-maximum-negative'),
    Max >= 0 && Max < Min && message('scaling-maximum-below-minimum'),
    Min < 0 && message('scaling-minimum-negative'),
  )
}
