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

/** Source texts of the resource blocks that were last applied, by `<workspace id>/<address>`. */
export const appliedBlocks = platformTable('applied-blocks', struct({ text }), {
  secrets: 'none',
})

/** A resource instance in the state of a workspace. */
export interface CurrentResource {
  readonly address: string
  readonly attributes: Readonly<Record<string, Json>>
  /** Source address of the provider; missing if the type determines it. */
  readonly provider?: string
  /** Names of sensitive attributes. */
  readonly sensitive?: readonly string[]
  /** Further members of the instance in the state file, such as dependencies. */
  readonly others?: Readonly<Record<string, unknown>>
}

/** An output in the state of a workspace. */
export interface CurrentOutput {
  readonly value: Json
  readonly type: Json
  readonly sensitive: boolean
}

/** The parts of a state that runs read and write. */
export interface CurrentState {
  readonly resources: readonly CurrentResource[]
  readonly outputs: Readonly<Record<string, CurrentOutput>>
}

/** Returns the current state of a workspace; empty if the workspace has no state. */
export function readCurrentState(world: World, workspace: string): CurrentState {
  const current = currentStateVersion(world, workspace)
  const file = current === undefined ? undefined : stateText(world, current, 'raw')
  return parseCurrentState(file ?? '')
}

/** Parses a state file. The result is empty if the text is not a JSON object. */
function parseCurrentState(file: string): CurrentState {
  const parsed = parseJsonObject(file)
  if (parsed === undefined) return { resources: [], outputs: {} }
  const { resources, outputs } = parsed
  return {
    resources: Array.isArray(resources) ? resources.filter(isObject).flatMap(parseResources) : [],
    outputs: Object.fromEntries(
      Object.entries(isObject(outputs) ? outputs : {}).map(([name, output]) => [
        name,
        parseOutput(isObject(output) ? output : {}),
      ]),
    ),
  }
}

function parseOutput({ value = null, type, sensitive }: Readonly<Record<string, unknown>>) {
  // The cast is safe, because the output was parsed from JSON.
  const parsed = { value, type: type ?? stateValueType(value) } as Pick<
    CurrentOutput,
    'value' | 'type'
  >
  return { ...parsed, sensitive: sensitive === true }
}

function parseResources(resource: Readonly<Record<string, unknown>>): CurrentResource[] {
  const { mode, type, name, module, instances, provider } = resource
  if (typeof type !== 'string' || typeof name !== 'string' || !Array.isArray(instances)) return []
  const path = { module: typeof module === 'string' ? module : '', mode, type, name }
  const providerAddress = /^provider\["(.*)"\]$/.exec(String(provider))?.[1]
  return instances.filter(isObject).map((instance) => {
    const { index_key: index, attributes, sensitive_attributes: marks, ...others } = instance
    const key = typeof index === 'string' || typeof index === 'number' ? index : undefined
    return {
      address: formatAddress({ ...path, key }),
      attributes: decodeDynamic(type, isObject(attributes) ? attributes : {}),
      ...(providerAddress === undefined || providerAddress === providerOf(type)
        ? {}
        : { provider: providerAddress }),
      sensitive: sensitiveNames(marks),
      others,
    }
  })
}

/** Attributes with a dynamic type, by resource type. A state file stores both type and value. */
const dynamicAttributes: Readonly<Record<string, readonly string[]>> = {
  terraform_data: ['input', 'output', 'triggers_replace'],
}

/**
 * Returns attributes as state files contain them: a dynamic attribute as its value and its type.
 */
function encodeDynamic(type: string, attributes: CurrentResource['attributes']): object {
  const dynamicNames = dynamicAttributes[type] ?? []
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      dynamicNames.includes(name) && value !== null
        ? { value, type: stateValueType(value) }
        : value,
    ]),
  )
}

/**
 * Returns the attributes from a state file. Replaces each dynamic attribute, which is stored with
 * its type, by its value.
 */
function decodeDynamic(type: string, attributes: Readonly<Record<string, unknown>>) {
  const dynamicNames = dynamicAttributes[type] ?? []
  const entries = Object.entries(attributes).map(([name, value]) => [
    name,
    dynamicNames.includes(name) && isObject(value) && 'value' in value ? value['value'] : value,
  ])
  // The cast is safe, because the attributes were parsed from JSON.
  return Object.fromEntries(entries) as CurrentResource['attributes']
}

/**
 * Returns the names of attributes that are sensitive as a whole or in part. `marks` is the list of
 * sensitive paths in a state file; each path begins with an attribute name.
 */
function sensitiveNames(marks: unknown): string[] {
  return (Array.isArray(marks) ? marks : []).flatMap((path) =>
    Array.isArray(path) && isObject(path[0]) && typeof path[0]['value'] === 'string'
      ? [path[0]['value']]
      : [],
  )
}

/** Formats a state file (behaviour/platform#run-state). */
function formatStateFile(
  { resources, outputs }: CurrentState,
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

/** Returns resource instances, grouped by resource and in the order of state files. */
function resourcesByPath(resources: readonly CurrentResource[]): object[] {
  const groups = new Map<string, { readonly head: object; readonly instances: object[] }>()
  const ordered = resources
    .map((resource) => ({ ...resource, parts: parseAddress(resource.address) }))
    .sort((one, other) => compareAddresses(one.parts, other.parts))
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

type ParsedAddress = ReturnType<typeof parseAddress>

function compareAddresses(one: ParsedAddress, other: ParsedAddress): number {
  const orderOf = ({ module, mode, type, name }: ParsedAddress) =>
    [module, mode, type, name].join('\n')
  const [first, second] = [orderOf(one), orderOf(other)]
  if (first !== second) return first < second ? -1 : 1
  if (typeof one.key === 'number' && typeof other.key === 'number') return one.key - other.key
  return String(one.key) < String(other.key) ? -1 : 1
}

/** Serial and lineage of a state file, and the version of the tool that writes the file. */
interface StateHead {
  readonly serial: number
  readonly lineage: string
  readonly version: string
}

/** Formats a state file from some of its members; the other members have defaults. */
export function completeStateFile(
  { serial, lineage, version }: StateHead,
  members: Readonly<Record<string, Json>>,
): string {
  const { outputs = {}, ...others } = members
  const typed = Object.entries(isObject(outputs) ? outputs : {}).map(([name, output]) => [
    name,
    isObject(output) ? { type: stateValueType(output['value']), ...output } : output,
  ])
  const file = {
    version: 4,
    ...('terraform_version' in members ? {} : { infra_version: version }),
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
 * Stores the state of an apply as a new state version. A state in the outcome takes precedence over
 * the planned state. If the outcome contains the state `lost`, creates no state version and stores
 * the text of the state only for the apply. Must run inside a transaction.
 */
export function writeRunState(world: World, run: Run, planned: CurrentState): void {
  const { id, workspace, created_by: user, infra_version: version, outcome, apply } = run
  const identity = nextStateIdentity(world, workspace)
  const head = { ...identity, version }
  const givenState = typeof outcome.state === 'object' ? outcome.state : undefined
  const state =
    givenState === undefined
      ? formatStateFile(planned, head)
      : completeStateFile(head, { ...givenState, ...identity })
  if (outcome.state === 'lost') putStateText(world, apply.id, 'raw', state)
  else {
    const stored = givenState === undefined ? planned : parseCurrentState(state)
    const json_state = jsonState(stored, version)
    createStateVersion(world, { workspace, user, ...identity, state, json_state, run: id })
  }
}
