import type { Json } from '../../kernel/json.ts'
import { isObject } from '../../kernel/objects.ts'
import { int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Run } from './runs.ts'

/** State files that runs have written, by workspace. */
export const runStates = defineTable({
  service: 'platform',
  name: 'run-states',
  secrets: { members: ['text'] },
  shape: struct({ text, serial: int, lineage: text }),
})

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
  const file = world.table(runStates).get(workspace)
  const parsed: unknown = file === undefined ? undefined : JSON.parse(file.text)
  if (!isObject(parsed)) return { resources: [], outputs: {} }
  const { resources, outputs } = parsed
  return {
    resources: Array.isArray(resources) ? resources.filter(isObject).flatMap(resourcesIn) : [],
    // The file was written by this program.
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
      const [, key] = /\[(.*)\]$/.exec(address) ?? []
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
  const table = world.table(runStates)
  const before = table.get(run.workspace)
  const serial = (before?.serial ?? 0) + 1
  const lineage = before?.lineage ?? world.ids.uuid()
  const content = stateFile(state, { serial, lineage, version: run.infra_version })
  table.put(run.workspace, { text: content, serial, lineage })
}
