import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { exactInt, goList, goMap, nullable, text, typed } from '../../kernel/shape/kinds.ts'
import { secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import { serverWriteRequestMembers } from '../body-addresses.ts'
import { failedChecks, multiError } from '../validation/errors.ts'
import { message, refuse } from './model/messages.ts'

const topologies = goList(nullable(struct('CSITopology', { Segments: goMap(text) })))

const capabilityShape = struct('CSIVolumeCapability', {
  AttachmentMode: typed('CSIVolumeAttachmentMode', text),
  AccessMode: typed('CSIVolumeAccessMode', text),
})

const csiSecrets = secret(typed('CSISecrets', goMap(text)))

const volumeShape = struct('CSIVolume', {
  ID: text,
  Name: text,
  ExternalID: text,
  Namespace: text,
  PluginID: text,
  SnapshotID: text,
  CloneID: text,
  RequestedTopologies: nullable(
    struct('CSITopologyRequest', { Required: topologies, Preferred: topologies }),
  ),
  RequestedCapacityMin: exactInt,
  RequestedCapacityMax: exactInt,
  RequestedCapabilities: goList(nullable(capabilityShape)),
  Secrets: csiSecrets,
  Parameters: goMap(text),
  Context: goMap(text),
})
type VolumeInput = ParsedOf<typeof volumeShape>

const volumeRequestMembers = {
  Volumes: goList(volumeShape),
  Timestamp: exactInt,
  ...serverWriteRequestMembers,
} as const

export const registerVolumesShape = struct('CSIVolumeRegisterRequest', volumeRequestMembers)

export const createVolumesShape = struct('CSIVolumeCreateRequest', volumeRequestMembers)

export const createSnapshotsShape = struct('CSISnapshotCreateRequest', {
  Snapshots: goList(
    nullable(
      struct('CSISnapshot', {
        SourceVolumeID: text,
        PluginID: text,
        Name: text,
        Secrets: csiSecrets,
        Parameters: goMap(text),
      }),
    ),
  ),
  ...serverWriteRequestMembers,
})

/**
 * Refuses requests to register or create volumes, because no plugin exists that could provide them
 * (behaviour/scheduler#volumes). The first volume causes the refusal, so later ones are not
 * checked.
 *
 * @param authorize throws a refusal unless the caller may write volumes of a namespace
 * @throws Refusal 500
 */
export function refuseVolumeWrite(
  { Volumes }: { readonly Volumes: readonly VolumeInput[] | null },
  namespace: string,
  authorize: (namespace: string) => void,
): never {
  const first = Volumes?.[0]
  if (first === undefined) throw refuse('volume-definition-missing')
  authorize(first.Namespace || namespace)
  const problems = volumeProblems(first)
  if (problems.length === 0) throw refuse('volume-plugin-unknown', { plugin: first.PluginID ?? '' })
  const listedProblems = problems.map((problem, at) =>
    at === 0 ? problem : message('further-problem', { problem }),
  )
  throw refuse('volume-invalid', { problems: listedProblems })
}

function volumeProblems(volume: VolumeInput): readonly Message[] {
  const { RequestedTopologies } = volume
  const hasNoSegments = (each: { readonly Segments: object | null } | null) =>
    each !== null && Object.keys(each.Segments ?? {}).length === 0
  const topologyErrors = (kind: 'Required' | 'Preferred') =>
    (RequestedTopologies?.[kind] ?? [])
      .filter(hasNoSegments)
      .map(() => message('volume-topology-empty', { kind: kind.toLowerCase() }))
  return [
    ...failedChecks(
      !volume.ID && message('volume-id-empty'),
      !volume.PluginID && message('volume-plugin-empty'),
      Boolean(volume.SnapshotID && volume.CloneID) && message('volume-sources-exclusive'),
      (volume.RequestedCapabilities ?? []).length === 0 && message('volume-capability-missing'),
    ),
    ...topologyErrors('Required'),
    ...topologyErrors('Preferred'),
  ]
}

/**
 * Refuses requests to take snapshots, because no volume exists (behaviour/scheduler#volumes). A
 * request without snapshots succeeds.
 *
 * @throws Refusal 500
 */
export function refuseSnapshots({ Snapshots }: ParsedOf<typeof createSnapshotsShape>): void {
  const errors = (Snapshots ?? []).map((snapshot) => {
    if (snapshot === null) throw refuse('snapshot-null')
    return message('snapshot-volume-unknown', { volume: quoteGo(snapshot.SourceVolumeID ?? '') })
  })
  if (errors.length > 0) throw refuse('snapshot-failed', { errors: multiError(errors) })
}

/**
 * Refuses (500) to delete a snapshot, because no plugin exists that could store the snapshot
 * (behaviour/scheduler#volumes).
 */
export function refuseSnapshotDeletion(): never {
  throw refuse('snapshot-failed', { errors: multiError([message('snapshot-plugin-unknown')]) })
}
