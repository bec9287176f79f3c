import type { World } from '../../kernel/worlds/world.ts'
import type { Caller } from '../accounts/callers.ts'
import { refuse, requireFound } from '../messages.ts'
import { addObject, type StoredObject } from '../objects.ts'
import { runWithId } from '../runs/runs.ts'
import { invalidAttributes, Violations, violation } from '../violations.ts'
import { lockHolderId } from '../workspaces/locks.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import { createStateVersion, withSerial } from './creation.ts'
import { parseJsonObject, parseStateFile } from './state-file.ts'
import { finalizeStateVersion } from './state-machine.ts'
import {
  currentStateVersion,
  newestStateVersion,
  putStateText,
  putStateVersion,
  type StateVersion,
  stateText,
  stateVersionWithId,
} from './state-versions.ts'
import { md5Of } from './vendor-form.ts'

/** Members of a request that creates a state version. Files are encoded in base64. */
interface StateInput {
  readonly serial?: number | null
  readonly md5?: string | null
  readonly lineage?: string | null
  readonly state?: string | null
  readonly json_state?: string | null
  readonly json_state_outputs?: string | null
  readonly force?: boolean
  /** Id of the run that created the state. */
  readonly run?: string | undefined
}

/**
 * Adds a state version from a request (behaviour/platform#state-uploads). Throws 404 if the run is
 * unknown or belongs to another workspace, and 422 for invalid attributes. Throws 409 if the caller
 * does not hold the lock. Unless `force` is set, throws 409 if the lineage or the MD5 contradicts
 * the current state, and 412 for an old serial.
 *
 * @param authority name of the product in the message about lineages
 */
export function uploadStateVersion(
  world: World,
  caller: Caller,
  { id: workspace, ...lock }: Workspace,
  input: StateInput,
  authority: string,
): StateVersion {
  const { serial, md5, state, json_state, json_outputs } = validate(input)
  if (input.run !== undefined && runWithId(world, input.run)?.workspace !== workspace) {
    throw refuse('not-found')
  }
  requireLockOfCaller(lock, caller)
  if (state !== undefined && md5Of(state) !== md5) {
    throw invalidAttributes([violation('md5', 'md5-differs')])
  }
  const file = state === undefined ? undefined : parseStateFile(state)
  const lineage = input.lineage ?? file?.lineage ?? null
  const current = currentStateVersion(world, workspace)
  if (current !== undefined && input.force !== true) {
    checkSuccessor(current, { serial, md5, lineage }, authority)
  }
  const { id: user } = caller.user
  return createStateVersion(world, {
    workspace,
    user,
    serial,
    md5,
    lineage,
    run: input.run ?? null,
    ...(state === undefined ? {} : { state }),
    ...(json_state === undefined ? {} : { json_state }),
    ...(json_outputs === undefined ? {} : { json_outputs }),
  })
}

/**
 * Throws 409 if the workspace is not locked or another caller holds the lock. A lock from the
 * document of an old release has no holder, so every caller may use the lock.
 */
function requireLockOfCaller(
  { locked, locked_by = null }: Pick<Workspace, 'locked' | 'locked_by'>,
  caller: Caller,
): void {
  if (!locked) throw refuse('state-needs-lock')
  if (locked_by !== null && locked_by !== lockHolderId(caller)) throw refuse('state-lock-of-other')
}

/**
 * Throws 409 if the lineages of a state and the current state differ, or if their serials are equal
 * but their MD5s differ. Throws 412 if the serial is lower than the current serial.
 */
function checkSuccessor(
  current: StateVersion,
  { serial, md5, lineage }: Pick<StateVersion, 'serial' | 'md5' | 'lineage'>,
  authority: string,
): void {
  const isOtherLineage = current.lineage !== null && lineage !== null && current.lineage !== lineage
  if (isOtherLineage) throw refuse('state-lineage-differs', { authority })
  if (serial < current.serial) throw refuse('state-serial-old')
  const digests = [current.md5, current.vendor_form?.md5]
  if (serial === current.serial && !digests.includes(md5)) throw refuse('state-md5-differs')
}

function validate(input: StateInput) {
  const violations = new Violations()
  const { serial = null, md5 = null } = input
  if (serial === null) violations.add('serial', 'blank')
  else if (serial < 0) violations.add('serial', 'invalid')
  if (md5 === null || md5 === '') violations.add('md5', 'blank')
  else if (!/^[0-9a-f]{32}$/i.test(md5)) violations.add('md5', 'invalid')
  const decodeAttribute = (attribute: string, sent: string | null = null) => {
    if (sent === null) return undefined
    const content = decodeBase64(sent)
    const isObject = content !== undefined && parseJsonObject(content) !== undefined
    if (!isObject) violations.add(attribute, 'invalid')
    return content
  }
  const state = decodeAttribute('state', input.state)
  const json_state = decodeAttribute('json-state', input.json_state)
  const json_outputs = decodeAttribute('json-state-outputs', input.json_state_outputs)
  violations.check()
  return { serial: serial ?? 0, md5: (md5 ?? '').toLowerCase(), state, json_state, json_outputs }
}

function decodeBase64(sent: string): string | undefined {
  const base64 = sent.replaceAll(/\s/g, '')
  const isBase64 = base64.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(base64)
  return isBase64 ? decodeText(Buffer.from(base64, 'base64')) : undefined
}

/** Decodes UTF-8. Returns undefined if the bytes are invalid. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Returns the state version that an upload address belongs to. Throws 404 if the state version was
 * deleted. Throws 409 for a state file if the state version is no longer pending. Throws 409 for a
 * JSON form if it was already uploaded, or if the workspace has a newer state version.
 */
export function requireStateUpload(world: World, { kind, subject }: StoredObject): StateVersion {
  const version = requireFound(stateVersionWithId(world, subject))
  const isOpen =
    kind === 'state-upload'
      ? version.status === 'pending'
      : version.json_download === null &&
        newestStateVersion(world, version.workspace)?.id === version.id
  if (!isOpen) throw refuse('transition-not-allowed')
  return version
}

/**
 * Stores an uploaded file. A state file finalizes its state version. Throws like
 * `requireStateUpload`, and throws 422 if the bytes are not a JSON object in UTF-8.
 *
 * @param pieces parts of the file in base64, as `ContentWriter` returns them
 */
export function receiveStateFile(
  world: World,
  object: StoredObject,
  pieces: readonly string[],
): StateVersion {
  const version = requireStateUpload(world, object)
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')))
  const content = decodeText(bytes)
  if (content === undefined || parseJsonObject(content) === undefined) {
    throw invalidAttributes([violation('state', 'invalid')])
  }
  if (object.kind === 'state-upload') return finalizeStateVersion(world, version, content)
  return world.write(() => {
    putStateText(world, version.id, 'json', content)
    return putStateVersion(world, {
      ...version,
      json_download: addObject(world, 'json-state', version.id),
    })
  })
}

/**
 * Restores an older state as a new state version with the next serial. Throws 404 if the older
 * state version is unknown, not finalized or of another workspace, and 409 if the caller does not
 * hold the lock.
 */
export function rollBackState(
  world: World,
  caller: Caller,
  workspace: Workspace,
  id: string,
): StateVersion {
  const older = requireFound(stateVersionWithId(world, id))
  if (older.workspace !== workspace.id || older.status !== 'finalized') throw refuse('not-found')
  requireLockOfCaller(workspace, caller)
  const { serial } = requireFound(currentStateVersion(world, workspace.id))
  const json_state = stateText(world, older, 'json')
  return createStateVersion(world, {
    workspace: workspace.id,
    user: caller.user.id,
    serial: serial + 1,
    lineage: older.lineage,
    state: withSerial(requireFound(stateText(world, older, 'raw')), serial + 1),
    ...(json_state === undefined ? {} : { json_state }),
    rollback_of: older.id,
  })
}
