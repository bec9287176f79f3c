import type { Json } from '../../kernel/json.ts'
import { isObject } from '../../kernel/objects.ts'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { createStateVersion, nextStateIdentity } from '../states/creation.ts'
import { parseJsonObject, stateValueType } from '../states/state-file.ts'
import { currentStateVersion, putStateText, stateText } from '../states/state-versions.ts'
import { platformTable } from '../table.ts'
import { formatAddress, parseAddress } from './addresses.ts'
import type { Run } from './runs.ts'
import { jsonState, providerOf } from './state-json.ts'

/** Texts of the blocks that were applied last, by `<workspace>/<address>`. */
export const appliedBlocks = platformTable('applied-blocks', struct({ text }), {
  secrets: 'none',
})

/** A resource in the state of a workspace. */
export interface PresentResource {
  readonly address: string
  readonly attributes: Readonly<Record<string, Json>>
  /** Address of the provider; missing for the provider that the type names. */
  readonly provider?: string
  /** Names of sensitive attributes. */
  readonly sensitive?: readonly string[]
  /** Other members of the instance in the state file, such as its dependencies. */
  readonly others?: Readonly<Record<string, unknown>>
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
  return parsePresentState(file ?? '')
}

/** Returns the resources and outputs of a state file; empty if the text is not a JSON object. */
function parsePresentState(file: string): PresentState {
  const parsed = parseJsonObject(file)
  if (parsed === undefined) return { resources: [], outputs: {} }
  const { resources, outputs } = parsed
  return {
    resources: Array.isArray(resources) ? resources.filter(isObject).flatMap(resourcesIn) : [],
    outputs: Object.fromEntries(
      Object.entries(isObject(outputs) ? outputs : {}).map(([name, output]) => [
        name,
        outputIn(isObject(output) ? output : {}),
      ]),
    ),
  }
}

function outputIn({ value = null, type, sensitive }: Readonly<Record<string, unknown>>) {
  // The output comes from a JSON text.
  const parsed = { value, type: type ?? stateValueType(value) } as Pick<
    PresentOutput,
    'value' | 'type'
  >
  return { ...parsed, sensitive: sensitive === true }
}

function resourcesIn(resource: Readonly<Record<string, unknown>>): PresentResource[] {
  const { mode, type, name, module, instances, provider } = resource
  if (typeof type !== 'string' || typeof name !== 'string' || !Array.isArray(instances)) return []
  const path = { module: typeof module === 'string' ? module : '', mode, type, name }
  const own = /^provider\["(.*)"\]$/.exec(String(provider))?.[1]
  return instances.filter(isObject).map((instance) => {
    const { index_key: index, attributes, sensitive_attributes: marks, ...others } = instance
    const key = typeof index === 'string' || typeof index === 'number' ? index : undefined
    return {
      address: formatAddress({ ...path, key }),
      attributes: decodeDynamic(type, isObject(attributes) ? attributes : {}),
      ...(own === undefined || own === providerOf(type) ? {} : { provider: own }),
      sensitive: sensitiveNames(marks),
      others,
    }
  })
}

/** Attributes whose type is dynamic; a state file stores their type with the value. */
const dynamicAttributes: Readonly<Record<string, readonly string[]>> = {
  terraform_data: ['input', 'output', 'triggers_replace'],
}

/** Returns attributes as a state file has them. */
function encodeDynamic(type: string, attributes: PresentResource['attributes']): object {
  const dynamic = dynamicAttributes[type] ?? []
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      dynamic.includes(name) && value !== null ? { value, type: stateValueType(value) } : value,
    ]),
  )
}

/** Returns the attributes of a state file without the stored types of dynamic ones. */
function decodeDynamic(type: string, attributes: Readonly<Record<string, unknown>>) {
  const dynamic = dynamicAttributes[type] ?? []
  const entries = Object.entries(attributes).map(([name, value]) => [
    name,
    dynamic.includes(name) && isObject(value) && 'value' in value ? value['value'] : value,
  ])
  // The attributes come from a JSON text.
  return Object.fromEntries(entries) as PresentResource['attributes']
}

/** Returns the attributes that the paths in a state file mark as sensitive as a whole. */
function sensitiveNames(marks: unknown): string[] {
  return (Array.isArray(marks) ? marks : []).flatMap((path) =>
    Array.isArray(path) && isObject(path[0]) && typeof path[0]['value'] === 'string'
      ? [path[0]['value']]
      : [],
  )
}

/**
 * Returns the text of the state file with these resources and outputs
 * (behaviour/platform#run-state).
 */
function stateFile(
  { resources, outputs }: PresentState,
  { serial, lineage, version }: StateHead,
): string {
  const file = {
    version: 4,
    infra_version: version,
    serial,
    lineage,
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, { value, type, sensitive }]) => [
        name,
        { value, type, ...(sensitive ? { sensitive } : {}) },
      ]),
    ),
    resources: resourcesByPath(resources),
    check_results: null,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Returns resources with all their instances, as a state file groups and orders them. */
function resourcesByPath(resources: readonly PresentResource[]): object[] {
  const groups = new Map<string, { readonly head: object; readonly instances: object[] }>()
  const ordered = resources
    .map((resource) => ({ ...resource, parts: parseAddress(resource.address) }))
    .sort((one, other) => compareParts(one.parts, other.parts))
  for (const { parts, provider, attributes, sensitive = [], others } of ordered) {
    const { module, mode, type, name, key } = parts
    const path = formatAddress({ ...parts, key: undefined })
    const group = groups.get(path) ?? {
      head: {
        ...(module === '' ? {} : { module }),
        mode,
        type,
        name,
        provider: `provider["${provider ?? providerOf(type)}"]`,
      },
      instances: [],
    }
    groups.set(path, group)
    group.instances.push({
      ...(key === undefined ? {} : { index_key: key }),
      schema_version: 0,
      attributes: encodeDynamic(type, attributes),
      sensitive_attributes: sensitive.map((value) => [{ type: 'get_attr', value }]),
      ...others,
    })
  }
  return Array.from(groups.values(), ({ head, instances }) => ({ ...head, instances }))
}

type Parts = ReturnType<typeof parseAddress>

function compareParts(one: Parts, other: Parts): number {
  const orderOf = ({ module, mode, type, name }: Parts) => [module, mode, type, name].join('\n')
  const [first, second] = [orderOf(one), orderOf(other)]
  if (first !== second) return first < second ? -1 : 1
  if (typeof one.key === 'number' && typeof other.key === 'number') return one.key - other.key
  return String(one.key) < String(other.key) ? -1 : 1
}

/** Identity of a state file, and the version of the tool that writes it. */
interface StateHead {
  readonly serial: number
  readonly lineage: string
  readonly version: string
}

/** Returns the text of a state file from some of its members. */
export function completeState(
  { serial, lineage, version }: StateHead,
  given: Readonly<Record<string, Json>>,
): string {
  const { outputs = {}, ...others } = given
  const typed = Object.entries(isObject(outputs) ? outputs : {}).map(([name, output]) => [
    name,
    isObject(output) ? { type: stateValueType(output['value']), ...output } : output,
  ])
  const file = {
    version: 4,
    ...('terraform_version' in given ? {} : { infra_version: version }),
    serial,
    lineage,
    outputs: Object.fromEntries(typed),
    resources: [],
    check_results: null,
    ...others,
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/**
 * Stores the state that an apply makes, with its JSON rendering: the one that the outcome of the
 * run has, if any. A state that the outcome calls lost is kept for the apply alone. Must run inside
 * a transaction.
 */
export function writeRunState(world: World, run: Run, planned: PresentState): void {
  const { id, workspace, created_by: user, infra_version: version, outcome, apply } = run
  const identity = nextStateIdentity(world, workspace)
  const head = { ...identity, version }
  const given = typeof outcome.state === 'object' ? outcome.state : undefined
  const state =
    given === undefined ? stateFile(planned, head) : completeState(head, { ...given, ...identity })
  if (outcome.state === 'lost') putStateText(world, apply.id, 'raw', state)
  else {
    const written = given === undefined ? planned : parsePresentState(state)
    const json_state = jsonState(written, version)
    createStateVersion(world, { workspace, user, ...identity, state, json_state, run: id })
  }
}
