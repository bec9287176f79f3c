import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { PlatformClient } from './platform.ts'
import { resource, withWorkspace } from './platform-workspaces.ts'

/**
 * A resource in a state file of a test, with an instance for each index, or one instance without an
 * index.
 */
interface TestResource {
  readonly type: string
  readonly name: string
  readonly mode?: 'managed' | 'data'
  readonly module?: string
  readonly indexes?: readonly (string | number)[]
}

/** Members of a state file of a test. */
interface TestState {
  readonly serial?: number
  readonly lineage?: string
  readonly outputs?: object
  readonly resources?: readonly TestResource[]
}

/** Returns the text of a state file as Terraform writes it. */
export function stateFile({
  serial = 1,
  lineage = 'lineage-1',
  outputs = {},
  resources = [],
}: TestState = {}): string {
  const file = {
    version: 4,
    terraform_version: '1.9.8',
    serial,
    lineage,
    outputs,
    resources: resources.map(({ mode = 'managed', type, name, module, indexes }) => ({
      ...(module === undefined ? {} : { module }),
      mode,
      type,
      name,
      provider: `provider["registry.terraform.io/hashicorp/${type.split('_')[0]}"]`,
      instances: (indexes ?? [undefined]).map((index_key) => ({
        index_key,
        schema_version: 0,
        attributes: { id: '1' },
      })),
    })),
    check_results: null,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Returns the MD5 of a text in hexadecimal digits. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Attributes of a new state version. `state` is the text of the state file. */
interface TestStateVersion {
  readonly serial?: number
  readonly state?: string
  readonly [name: string]: unknown
}

/** Returns a document that creates a state version. A version without a state is pending. */
export function stateDocument({ serial = 1, state, ...others }: TestStateVersion = {}) {
  const file = state === undefined ? {} : { state: base64(state) }
  return resource('state-versions', { serial, md5: md5(state ?? ''), ...file, ...others })
}

/**
 * Creates a finalized state version and returns the reply. Throws if the server refuses the
 * request.
 */
export async function createState(
  api: PlatformClient,
  workspace: string,
  { serial = 1, ...others }: TestStateVersion = {},
) {
  const body = stateDocument({ serial, state: stateFile({ serial }), ...others })
  const reply = await api.post(`workspaces/${workspace}/state-versions`, body)
  expect(reply.status).toBe(201)
  return reply
}

/** Starts a server with one workspace, `net`, which the owner's token locks. */
export async function withLockedWorkspace(settings: Parameters<typeof withWorkspace>[0] = {}) {
  const server = await withWorkspace(settings)
  const reply = await server.api.post(`workspaces/${server.id}/actions/lock`)
  expect(reply.status).toBe(200)
  return server
}
