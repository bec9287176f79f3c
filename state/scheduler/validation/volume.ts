import { compareBytewise } from '../../json/json.ts'
import type { Job, TaskGroup } from '../job/job-shape.ts'
import { failing, nested } from './errors.ts'

type VolumeRequest = NonNullable<TaskGroup['Volumes']>[string]
type AccessRule = readonly [broken: boolean, text: string]

/** What is wrong with the volumes that a group asks for, in the order of their names. */
export function volumeErrors(group: TaskGroup, job: Job): readonly string[] {
  return Object.entries(group.Volumes ?? {})
    .sort(([a], [b]) => compareBytewise(a, b))
    .flatMap(([name, volume]) => {
      const prefix = `Task group volume validation for ${name} failed: `
      const own = volume.Type === 'host' ? hostErrors(volume) : csiErrors(volume, group)
      return nested([...commonErrors(volume, group, job), ...own], prefix)
    })
}

function commonErrors(
  { Source, PerAlloc, Sticky = false }: VolumeRequest,
  { Update }: TaskGroup,
  { Type }: Job,
): readonly string[] {
  return failing(
    [Source === '', 'volume has an empty source'],
    [
      PerAlloc && (Type === 'system' || Type === 'sysbatch'),
      'volume cannot be per_alloc for system or sysbatch jobs',
    ],
    [PerAlloc && (Update?.Canary ?? 0) > 0, 'volume cannot be per_alloc when canaries are in use'],
    [PerAlloc && Sticky, 'volume cannot be per_alloc and sticky at the same time'],
  )
}

/** How volumes of a host may be used beside `single-node-reader-only`; unsaid is any way. */
const hostWriters = new Set([
  '',
  'single-node-writer',
  'single-node-single-writer',
  'single-node-multi-writer',
])

function hostErrors({ MountOptions, AccessMode, ReadOnly }: VolumeRequest): readonly string[] {
  const isReader = AccessMode === 'single-node-reader-only'
  return failing(
    [MountOptions !== null, 'host volumes cannot have mount options'],
    [isReader && !ReadOnly, `${AccessMode} volumes must be read-only`],
    [
      !isReader && !hostWriters.has(AccessMode),
      `host volumes cannot be mounted with ${AccessMode} access mode`,
    ],
  )
}

function csiErrors(volume: VolumeRequest, { Count }: TaskGroup): readonly string[] {
  const { AttachmentMode, MountOptions, PerAlloc } = volume
  return failing(
    [AttachmentMode === '', 'CSI volumes must have an attachment mode'],
    [
      AttachmentMode === 'block-device' && MountOptions !== null,
      'block devices cannot have mount options',
    ],
    ...accessRules(volume, Count > 1 && !PerAlloc),
  )
}

/** @param isShared whether several allocations have the same volume */
function accessRules({ AccessMode, ReadOnly }: VolumeRequest, isShared: boolean): AccessRule[] {
  const mustRead: AccessRule = [!ReadOnly, `${AccessMode} volumes must be read-only`]
  const only = (broken: boolean, who: string): AccessRule => [
    broken,
    `volume with ${AccessMode} access mode allows only one ${who}`,
  ]
  switch (AccessMode) {
    case '':
      return [[true, 'CSI volumes must have an access mode']]
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
