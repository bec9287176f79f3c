import {
  any,
  bool,
  instant,
  int,
  list,
  map,
  nullable,
  text,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct, vendorNamed } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

const counts = map(map(int))

export const stateVersionAttributes = {
  created_at: instant,
  /** Size of the state file in bytes; 0 before the upload. */
  size: int,
  serial: int,
  /**
   * MD5 of the state file in hexadecimal digits. Clients send the MD5 with their states; for all
   * other states, it is computed from the file.
   */
  md5: text,
  lineage: nullable(text),
  status: word(
    'pending',
    'finalized',
    'discarded',
    'backing_data_soft_deleted',
    'backing_data_permanently_deleted',
  ),
  /** Version of the file format. */
  state_version: nullable(int),
  /** Version of the tool that wrote the file. */
  infra_version: vendorNamed('terraform-version', nullable(text)),
  /** Whether the file was processed, so that the resources are known. */
  resources_processed: bool,
  /** Number of instances by module, then by type; empty before processing. */
  modules: counts,
  /** Number of instances by provider, then by type; empty before processing. */
  providers: counts,
  /** Resources of the state file; empty before processing. */
  resources: list(struct({ name: text, type: text, count: int, module: text, provider: text })),
  /** Number of billable resource instances; null before processing. */
  billable_rum_count: nullable(int),
}

const versionShape = struct({
  ...stateVersionAttributes,
  /** Id of the form `sv-…`. */
  id: text,
  /** Workspace id. */
  workspace: text,
  /** User id. */
  created_by: text,
  /** Id of the run that created the state; null if no run created it. */
  run: nullable(text),
  /**
   * Id of the older state version that this state version restores; null if this state version is
   * not the result of a rollback.
   */
  rollback_of: nullable(text),
  /** Id of the address for the upload of the state file; null if no such address exists. */
  upload: nullable(text),
  /** Id of the address for the upload of the state's JSON form; null if no such address exists. */
  json_upload: nullable(text),
  /** Id of the address for the download of the state file; null if no such address exists. */
  download: nullable(text),
  /**
   * Id of the address for the download of the state's JSON form; null if no such address exists.
   */
  json_download: nullable(text),
  /**
   * MD5 and size of the file in the vendor dialect; missing if the file is equal in both dialects.
   */
  vendor_form: optional(struct({ md5: text, size: int })),
  /** Whether the outputs are stored, which may happen before processing. */
  outputs_ready: bool,
  /** Number of managed resource instances; 0 before processing. */
  resource_count: int,
})

/**
 * The state of a workspace after one change, identified by a serial
 * (behaviour/platform#state-versions).
 */
export interface StateVersion extends StoredOf<typeof versionShape> {}

/**
 * State versions by `<workspace id>/<position>`, newest first. The indexes `finalized` and
 * `processed` also have keys of this form; keys of `ofRun` are `<run id>/<state version id>`.
 */
export const stateVersions = platformTable('state-versions', versionShape, {
  secrets: { members: ['upload', 'json_upload', 'download', 'json_download'] },
  indexes: {
    byId: ({ id }) => id,
    finalized: ({ status }, key) => (status === 'finalized' ? key : undefined),
    processed: ({ status, resources_processed }, key) =>
      status === 'finalized' && resources_processed ? key : undefined,
    ofRun: ({ run, id }) => (run === null ? undefined : `${run}/${id}`),
  },
})

/** Functions of `ownedRows` for the state versions of a workspace. Lists are newest first. */
export const {
  of: stateVersionsOf,
  withId: stateVersionWithId,
  put: putStateVersion,
} = ownedRows(stateVersions, 'workspace', 'newest first')

/** Returns the state versions that a run created. */
export function stateVersionsOfRun(world: World, run: string): StateVersion[] {
  return Array.from(world.table(stateVersions).index('ofRun').rows(`${run}/`))
}

/**
 * Returns the newest state version of a workspace, with any status. Returns undefined if the
 * workspace has no state version.
 */
export function newestStateVersion(world: World, workspace: string): StateVersion | undefined {
  return world.table(stateVersions).first(`${workspace}/`)?.[1]
}

/**
 * Returns the current state version of a workspace, which is the newest finalized state version.
 * Returns undefined if the workspace has no finalized state version.
 */
export function currentStateVersion(world: World, workspace: string): StateVersion | undefined {
  return world.table(stateVersions).index('finalized').first(`${workspace}/`)?.[1]
}

/**
 * Returns the newest processed state version of a workspace. Returns undefined if no state version
 * of the workspace was processed.
 */
export function processedStateVersion(world: World, workspace: string): StateVersion | undefined {
  return world.table(stateVersions).index('processed').first(`${workspace}/`)?.[1]
}

/** Kind of file of a state version: the state file, its JSON rendering, or the JSON outputs. */
export type StateForm = 'raw' | 'json' | 'json-outputs'

/**
 * Files by `<id of a state version or an apply>/<form>`. An apply has a file if the outcome of its
 * run sets the state to `lost`, so that no state version contains the state.
 */
export const stateContents = platformTable('state-contents', struct({ text }), {
  secrets: { members: ['text'] },
})

/** Returns a file of a state version or an apply; undefined if the file is not stored. */
export function stateText(
  world: World,
  { id }: Pick<StateVersion, 'id'>,
  form: StateForm,
): string | undefined {
  return world.table(stateContents).get(`${id}/${form}`)?.text
}

export function putStateText(world: World, id: string, form: StateForm, content: string): void {
  world.table(stateContents).put(`${id}/${form}`, { text: content })
}

export function dropStateTexts(world: World, id: string): void {
  world.table(stateContents).deleteAll(`${id}/`)
}

const outputShape = struct({
  /** Id of the form `wsout-…`. */
  id: text,
  /** State version id. */
  version: text,
  name: text,
  sensitive: bool,
  value: any,
  detailed_type: any,
})

export interface StateVersionOutput extends StoredOf<typeof outputShape> {}

/** Outputs by `<state version id>/<name>`. */
export const stateOutputs = platformTable('state-outputs', outputShape, {
  secrets: { members: ['value'] },
  indexes: { byId: ({ id }) => id },
})

/** Returns the outputs of a state version, sorted by name. Values may be sensitive. */
export function outputsOf(
  world: World,
  { id }: Pick<StateVersion, 'id'>,
): readonly StateVersionOutput[] {
  return Array.from(world.table(stateOutputs).rows(`${id}/`))
}

export function outputWithId(world: World, id: string): StateVersionOutput | undefined {
  return world.table(stateOutputs).index('byId').get(id)
}
