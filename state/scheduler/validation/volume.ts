import { compareBytewise } from '../../json/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import { combineErrors, failedChecks } from './errors.ts'
import { message } from './group-messages.ts'

type VolumeRequest = NonNullable<TaskGroup['Volumes']>[string]
type CheckResult = false | Message

/** Returns the errors of a group's volumes, ordered by name. */
export function volumeErrors(group: TaskGroup, type: string): readonly Message[] {
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

/** Access modes of host volumes besides `single-node-reader-only`; an empty one is valid. */
const hostWriteModes = new Set([
  '',
  'single-node-writer',
  'single-node-single-writer',
  'single-node-multi-writer',
])

function hostErrors({ MountOptions, AccessMode, ReadOnly }: VolumeRequest): readonly Message[] {
  const isReader = AccessMode === 'single-node-reader-only'
  return failedChecks(
    MountOptions !== null && message('volume-host-options'),
    isReader && !ReadOnly && message('volume-mode-reads', { mode: AccessMode }),
    !isReader &&
      !hostWriteModes.has(AccessMode) &&
      message('volume-host-mode', { mode: AccessMode }),
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
 * @param isShared true if several allocations use the volume
 */
function accessModeErrors(
  { AccessMode: mode, ReadOnly }: VolumeRequest,
  isShared: boolean,
): CheckResult[] {
  const readOnlyCheck: CheckResult = !ReadOnly && message('volume-mode-reads', { mode })
  const exclusiveUse = (isBroken: boolean, user: string): CheckResult =>
    isBroken && message('volume-mode-alone', { mode, user })
  switch (mode) {
    case '':
      return [message('volume-mode-missing')]
    case 'single-node-reader-only':
      return [readOnlyCheck, exclusiveUse(isShared, 'reader')]
    case 'single-node-writer':
      return [exclusiveUse(isShared, 'reader or writer')]
    case 'multi-node-reader-only':
      return [readOnlyCheck]
    case 'multi-node-single-writer':
      return [exclusiveUse(isShared && !ReadOnly, 'writer')]
    default:
      return []
  }
}
