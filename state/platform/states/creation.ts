import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { addObject } from '../objects.ts'
import { parseStateFile } from './state-file.ts'
import { finalizeStateVersion } from './state-machine.ts'
import {
  currentStateVersion,
  putStateText,
  putStateVersion,
  type StateVersion,
} from './state-versions.ts'
import { md5Of } from './vendor-form.ts'

/** Input of a new state version. */
interface NewStateVersion {
  /** Id of the workspace. */
  readonly workspace: string
  /** Id of the user who creates it. */
  readonly user: string
  readonly serial: number
  readonly lineage?: string | null
  /** MD5 of the file; computed from `state` if left out. */
  readonly md5?: string
  /** Text of the state file. Without it the state version waits for an upload. */
  readonly state?: string
  /** JSON rendering of the state. */
  readonly json_state?: string
  /** JSON object of outputs by name, which makes the outputs known at once. */
  readonly json_outputs?: string
  /** Id of the run that creates it. */
  readonly run?: string | null
  /** Id of the state version that it repeats. */
  readonly rollback_of?: string | null
}

/**
 * Adds a state version to a workspace, without a check of locks and serials. With a state it is
 * finalized, and otherwise pending with an address for the upload.
 */
export function createStateVersion(world: World, input: NewStateVersion): StateVersion {
  const { workspace, user, serial, state, json_state, json_outputs } = input
  return world.write(() => {
    const id = newId(world, 'sv')
    if (json_state !== undefined) putStateText(world, id, 'json', json_state)
    if (json_outputs !== undefined) putStateText(world, id, 'json-outputs', json_outputs)
    const isPending = state === undefined
    const version = putStateVersion(world, {
      id,
      workspace,
      created_at: world.clock.now(),
      created_by: user,
      run: input.run ?? null,
      rollback_of: input.rollback_of ?? null,
      size: 0,
      serial,
      md5: input.md5 ?? md5Of(state ?? ''),
      lineage: input.lineage ?? null,
      status: 'pending',
      state_version: null,
      infra_version: null,
      resources_processed: false,
      modules: {},
      providers: {},
      resources: [],
      billable_rum_count: null,
      upload: isPending ? addObject(world, 'state-upload', id) : null,
      json_upload: isPending ? addObject(world, 'json-state-upload', id) : null,
      download: null,
      json_download: json_state === undefined ? null : addObject(world, 'json-state', id),
      outputs_ready: false,
      resource_count: 0,
    })
    return isPending ? version : finalizeStateVersion(world, version, state)
  })
}

/**
 * Returns serial and lineage for the next state of a workspace, so that the next upload is
 * accepted: the serial after the current one, and the lineage of the current state or a new one.
 */
export function nextStateIdentity(
  world: World,
  workspace: string,
): { readonly serial: number; readonly lineage: string } {
  const current = currentStateVersion(world, workspace)
  const lineage = current?.lineage ?? world.ids.uuid()
  return { serial: (current?.serial ?? 0) + 1, lineage }
}

/** Returns the text of a state file with another serial, formatted as the tool formats it. */
export function withSerial(state: string, serial: number): string {
  if (parseStateFile(state) === undefined) return state
  return `${JSON.stringify({ ...JSON.parse(state), serial }, null, 2)}\n`
}
