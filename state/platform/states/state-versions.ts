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

/** Attributes of a state version as the API returns them. */
export const stateVersionAttributes = {
  created_at: instant,
  /** Number of bytes of the state file; 0 while it is missing. */
  size: int,
  serial: int,
  /** MD5 of the state file in hexadecimal digits, as its sender or its run computed it. */
  md5: text,
  lineage: nullable(text),
  status: word(
    'pending',
    'finalized',
    'discarded',
    'backing_data_soft_deleted',
    'backing_data_permanently_deleted',
  ),
  /** Version of the file's format. */
  state_version: nullable(int),
  /** Version of the tool that wrote the file. */
  infra_version: vendorNamed('terraform-version', nullable(text)),
  /** Whether the resources of the file are known. */
  resources_processed: bool,
  /** Number of instances by type in each module; empty until processed. */
  modules: counts,
  /** Number of instances by type of each provider; empty until processed. */
  providers: counts,
  /** Resources of the file; empty until processed. */
  resources: list(struct({ name: text, type: text, count: int, module: text, provider: text })),
  /** Number of billable instances; null until processed. */
  billable_rum_count: nullable(int),
}

const versionShape = struct({
  ...stateVersionAttributes,
  /** Id of the form `sv-…`. */
  id: text,
  /** Id of the workspace. */
  workspace: text,
  /** Id of the user who created it. */
  created_by: text,
  /** Id of the run that created it. */
  run: nullable(text),
  /** Id of the state version that it repeats. */
  rollback_of: nullable(text),
  /** Ids of the stored objects for uploads and downloads; null before or after they exist. */
  upload: nullable(text),
  json_upload: nullable(text),
  download: nullable(text),
  json_download: nullable(text),
  /** Digest and size of the file in the vendor dialect, if they differ. */
  vendor_form: optional(struct({ md5: text, size: int })),
  /** Whether the outputs are known. */
  outputs_ready: bool,
  /** Number of managed resource instances; 0 until processed. */
  resource_count: int,
})

/** A state of a workspace's resources (behaviour/platform#state-versions). */
export interface StateVersion extends StoredOf<typeof versionShape> {}

/**
 * State versions by `<workspace id>/<position>`, newest first. The indexes `finalized` and
 * `processed` have the same keys; `ofRun` has keys of the form `<run>/<state version>`.
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

/**
 * Functions that list the state versions of a workspace, newest first, find one by its id, and
 * store versions.
 */
export const {
  of: stateVersionsOf,
  withId: stateVersionWithId,
  put: putStateVersion,
} = ownedRows(stateVersions, 'workspace', 'newest first')

/** Returns the state versions that a run made. */
export function stateVersionsOfRun(world: World, run: string): StateVersion[] {
  return Array.from(world.table(stateVersions).index('ofRun').rows(`${run}/`))
}

/** Returns the newest state version of a workspace, whatever its status. */
export function newestStateVersion(world: World, workspace: string): StateVersion | undefined {
  return world.table(stateVersions).first(`${workspace}/`)?.[1]
}

/** Returns the current state version of a workspace: the newest finalized one. */
export function currentStateVersion(world: World, workspace: string): StateVersion | undefined {
  return world.table(stateVersions).index('finalized').first(`${workspace}/`)?.[1]
}

/** Returns the newest state version of a workspace whose resources are known. */
export function processedStateVersion(world: World, workspace: string): StateVersion | undefined {
  return world.table(stateVersions).index('processed').first(`${workspace}/`)?.[1]
}

/** Form of a state file: the file of the tool, or its JSON rendering. */
export type StateForm = 'raw' | 'json' | 'json-outputs'

/**
 * Files of state versions by `<state version>/<form>`: the state, its JSON rendering, and the
 * outputs that were sent along.
 */
export const stateContents = platformTable('state-contents', struct({ text }), {
  secrets: { members: ['text'] },
})

/** Returns a file of a state version, if it is stored. */
export function stateText(
  world: World,
  { id }: Pick<StateVersion, 'id'>,
  form: StateForm,
): string | undefined {
  return world.table(stateContents).get(`${id}/${form}`)?.text
}

/** Stores a file of a state version. Must run inside a transaction. */
export function putStateText(world: World, id: string, form: StateForm, content: string): void {
  world.table(stateContents).put(`${id}/${form}`, { text: content })
}

/** Deletes the files of a state version. Must run inside a transaction. */
export function dropStateTexts(world: World, id: string): void {
  world.table(stateContents).deleteAll(`${id}/`)
}

const outputShape = struct({
  /** Id of the form `wsout-…`. */
  id: text,
  /** Id of the state version. */
  version: text,
  name: text,
  sensitive: bool,
  value: any,
  detailed_type: any,
})

/** An output of a state version. */
export interface StateVersionOutput extends StoredOf<typeof outputShape> {}

/** Outputs of state versions by `<state version>/<name>`. */
export const stateOutputs = platformTable('state-outputs', outputShape, {
  secrets: { members: ['value'] },
  indexes: { byId: ({ id }) => id },
})

/** Returns the outputs of a state version, sorted by name. */
export function outputsOf(
  world: World,
  { id }: Pick<StateVersion, 'id'>,
): readonly StateVersionOutput[] {
  return Array.from(world.table(stateOutputs).rows(`${id}/`))
}

/** Returns the output with this id, if it exists. */
export function outputWithId(world: World, id: string): StateVersionOutput | undefined {
  return world.table(stateOutputs).index('byId').get(id)
}
