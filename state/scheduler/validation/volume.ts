import { compareBytewise } from '../../json/json.ts'
import type { Said } from '../../kernel/wording.ts'
import type { TaskGroup } from '../job/job-shape.ts'
import { failing, nested } from './errors.ts'
import { say } from './group-texts.ts'

type VolumeRequest = NonNullable<TaskGroup['Volumes']>[string]
type Check = false | Said

/** Finds what is wrong with the volumes that a group asks for, in the order of their names. */
export function volumeErrors(group: TaskGroup, type: string): readonly Said[] {
  return Object.entries(group.Volumes ?? {})
    .sort(([a], [b]) => compareBytewise(a, b))
    .flatMap(([name, volume]) => {
      const own = volume.Type === 'host' ? hostErrors(volume) : csiErrors(volume, group)
      return nested([...commonErrors(volume, group, type), ...own], (errors) =>
        say('group-volume-invalid', { name, errors }),
      )
    })
}

function commonErrors(
  { Source, PerAlloc, Sticky = false }: VolumeRequest,
  { Update }: TaskGroup,
  type: string,
): readonly Said[] {
  return failing(
    Source === '' && say('volume-source-empty'),
    PerAlloc && (type === 'system' || type === 'sysbatch') && say('volume-per-alloc-system'),
    PerAlloc && (Update?.Canary ?? 0) > 0 && say('volume-per-alloc-canary'),
    PerAlloc && Sticky && say('volume-per-alloc-sticky'),
  )
}

/** Modes of volumes of a host beside `single-node-reader-only`; unsaid is any way. */
const hostWriters = new Set([
  '',
  'single-node-writer',
  'single-node-single-writer',
  'single-node-multi-writer',
])

function hostErrors({ MountOptions, AccessMode, ReadOnly }: VolumeRequest): readonly Said[] {
  const isReader = AccessMode === 'single-node-reader-only'
  return failing(
    MountOptions !== null && say('volume-host-options'),
    isReader && !ReadOnly && say('volume-mode-reads', { mode: AccessMode }),
    !isReader && !hostWriters.has(AccessMode) && say('volume-host-mode', { mode: AccessMode }),
  )
}

function csiErrors(volume: VolumeRequest, { Count }: TaskGroup): readonly Said[] {
  const { AttachmentMode, MountOptions, PerAlloc } = volume
  return failing(
    AttachmentMode === '' && say('volume-attachment-missing'),
    AttachmentMode === 'block-device' && MountOptions !== null && say('volume-block-options'),
    ...accessRules(volume, Count > 1 && !PerAlloc),
  )
}

/** @param isShared whether several allocations have the same volume */
function accessRules({ AccessMode: mode, ReadOnly }: VolumeRequest, isShared: boolean): Check[] {
  const mustRead: Check = !ReadOnly && say('volume-mode-reads', { mode })
  const only = (isBroken: boolean, user: string): Check =>
    isBroken && say('volume-mode-alone', { mode, user })
  switch (mode) {
    case '':
      return [say('volume-mode-missing')]
    case 'single-node-reader-only':
      return [mustRead, only(isShared, 'reader')]
    case 'single-node-writer':
      return [only(isShared, 'reader or writer')]
    case 'multi-node-reader-only':
      return [mustRead]
    case 'multi-node-single-writer':
      return [only(isShared && !ReadOnly, 'writer')]
    default:
      return []
  }
}
