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

/** Content of a new state version, which is stored without validation. */
interface NewStateVersion {
  /** Workspace id. */
  readonly workspace: string
  /** User id. */
  readonly user: string
  readonly serial: number
  readonly lineage?: string | null
  /** MD5 in hexadecimal digits; by default computed from `state`. */
  readonly md5?: string
  /** Text of the state file. Without it, the state version waits for an upload. */
  readonly state?: string
  /** State as `terraform show -json` prints it. */
  readonly json_state?: string
  /** JSON object of outputs by name. These outputs are available before the state is processed. */
  readonly json_outputs?: string
  /** Id of the run that created the state. */
  readonly run?: string | null
  /** Id of the state version that the new state version restores. */
  readonly rollback_of?: string | null
}

/**
 * Adds a state version without checking locks and serials. If the input contains `state`, finalizes
 * the state version with `finalizeStateVersion`. Otherwise the state version is pending and has
 * upload addresses for the state and its JSON form.
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
 * Returns a serial and a lineage that the next state of a workspace can have: the current serial
 * plus one, and the current lineage. Without a current state, the serial is 1; without a current
 * lineage, the lineage is new.
 */
export function nextStateIdentity(
  world: World,
  workspace: string,
): { readonly serial: number; readonly lineage: string } {
  const current = currentStateVersion(world, workspace)
  const lineage = current?.lineage ?? world.ids.uuid()
  return { serial: (current?.serial ?? 0) + 1, lineage }
}

/**
 * Returns a state file with its serial replaced, indented as the command-line tool writes state
 * files. Returns the text unchanged if it is not a JSON object.
 */
export function withSerial(state: string, serial: number): string {
  if (parseStateFile(state) === undefined) return state
  return `${JSON.stringify({ ...JSON.parse(state), serial }, null, 2)}\n`
}
