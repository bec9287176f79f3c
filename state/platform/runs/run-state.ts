import type { Json } from '../../kernel/json.ts'
import { isObject } from '../../kernel/objects.ts'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { createStateVersion, nextStateIdentity } from '../states/creation.ts'
import { parseJsonObject } from '../states/state-file.ts'
import { currentStateVersion, stateText } from '../states/state-versions.ts'
import { splitAddress } from './configuration.ts'
import type { Run } from './runs.ts'

/** Texts of the blocks that were applied last, by `<workspace>/<address>`. */
export const appliedBlocks = defineTable({
  service: 'platform',
  name: 'applied-blocks',
  secrets: 'none',
  shape: struct({ text }),
})

/** A resource in the state of a workspace. */
export interface PresentResource {
  readonly address: string
  readonly type: string
  readonly name: string
  readonly attributes: Readonly<Record<string, Json>>
}

/** An output in the state of a workspace. */
export interface PresentOutput {
  readonly value: Json
  readonly type: Json
  readonly sensitive: boolean
}

/** State of a workspace, as far as runs read and write it. */
export interface PresentState {
  readonly resources: readonly PresentResource[]
  readonly outputs: Readonly<Record<string, PresentOutput>>
}

/** Returns the state of a workspace; empty without one. */
export function presentState(world: World, workspace: string): PresentState {
  const current = currentStateVersion(world, workspace)
  const file = current === undefined ? undefined : stateText(world, current, 'raw')
  const parsed = file === undefined ? undefined : parseJsonObject(file)
  if (parsed === undefined) return { resources: [], outputs: {} }
  const { resources, outputs } = parsed
  return {
    resources: Array.isArray(resources) ? resources.filter(isObject).flatMap(resourcesIn) : [],
    // The outputs come from a JSON text.
    outputs: (isObject(outputs) ? outputs : {}) as PresentState['outputs'],
  }
}

function resourcesIn(resource: Readonly<Record<string, unknown>>): PresentResource[] {
  const { mode, type, name, module, instances } = resource
  if (mode !== 'managed' || typeof type !== 'string' || typeof name !== 'string') return []
  if (!Array.isArray(instances)) return []
  const path = `${typeof module === 'string' ? `${module}.` : ''}${type}.${name}`
  return instances.filter(isObject).map((instance) => {
    const { index_key: key, attributes } = instance
    return {
      address: key === undefined || key === null ? path : `${path}[${JSON.stringify(key)}]`,
      type,
      name,
      // The attributes come from a JSON text.
      attributes: (isObject(attributes) ? attributes : {}) as PresentResource['attributes'],
    }
  })
}

/** Returns the type of a value in a state file. */
export function jsonType(value: unknown): Json {
  if (Array.isArray(value)) return ['tuple', value.map((each) => jsonType(each))]
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, each]) => [name, jsonType(each)])
    return ['object', Object.fromEntries(members)]
  }
  return { string: 'string', number: 'number', boolean: 'bool' }[String(typeof value)] ?? 'dynamic'
}

/** Returns the address of the provider of a resource type: its first word. */
export function providerOf(type: string): string {
  const [word = ''] = type.replace(/^data\./, '').split('_', 1)
  return `registry.infra.example/hashicorp/${word}`
}

/** Returns the text of the state file with these resources and outputs (behaviour/platform#run-state). */
export function stateFile(
  { resources, outputs }: PresentState,
  {
    serial,
    lineage,
    version,
  }: { readonly serial: number; readonly lineage: string; readonly version: string },
): string {
  const file = {
    version: 4,
    infra_version: version,
    serial,
    lineage,
    outputs,
    resources: resources.map(({ address, type, name, attributes }) => {
      const { key } = splitAddress(address)
      const index = key === undefined ? {} : { index_key: JSON.parse(key) }
      return {
        mode: 'managed',
        type,
        name,
        provider: `provider["${providerOf(type)}"]`,
        instances: [{ ...index, schema_version: 0, attributes, sensitive_attributes: [] }],
      }
    }),
    check_results: null,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Stores the state that an apply makes. Must run inside a transaction. */
export function writeRunState(world: World, run: Run, state: PresentState): void {
  const { id, workspace, created_by: user } = run
  const { serial, lineage } = nextStateIdentity(world, workspace)
  const content = stateFile(state, { serial, lineage, version: run.infra_version })
  createStateVersion(world, { workspace, user, serial, lineage, state: content, run: id })
}
