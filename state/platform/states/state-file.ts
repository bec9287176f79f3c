import type { Json } from '../../kernel/json.ts'
import { isObject } from '../../kernel/objects.ts'

/** Number of resource instances by module or provider, then by type. */
type InstanceCounts = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface StateResource {
  readonly name: string
  /** Resource type; data sources have the prefix `data.`. */
  readonly type: string
  /** Path of the module without the first `module.`; `root` for the root module. */
  readonly module: string
  /** Provider in the form of the file: `provider["…/hashicorp/null"]`. */
  readonly provider: string
  readonly instances: readonly StateInstance[]
}

interface StateInstance {
  readonly address: string
  /** Key of an instance that `count` or `for_each` created; null for any other instance. */
  readonly index: string | null
  /** JSON of the instance, for comparison with the instance in another state. */
  readonly json: string
}

/** An output in a state file, or in the JSON outputs of a state version. */
export interface StateOutput {
  readonly name: string
  readonly sensitive: boolean
  readonly value: Json
  /** Type as the state file encodes it, such as `"string"` or `["list","string"]`. */
  readonly detailed_type: Json
}

/** The members of a state file that the API returns. */
interface StateFile {
  /** Version of the file format. */
  readonly state_version: number | null
  readonly infra_version: string | null
  readonly serial: number | null
  readonly lineage: string | null
  readonly outputs: readonly StateOutput[]
  readonly resources: readonly StateResource[]
}

/** Parses a JSON object. Returns undefined if the text is not a JSON object. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Parses a state file. Returns undefined if the text is not a JSON object. Members with an
 * unexpected type are treated as missing.
 */
export function parseStateFile(text: string): StateFile | undefined {
  const file = parseJsonObject(text)
  if (file === undefined) return undefined
  const { version, serial, lineage, outputs, resources } = file
  const tool = file['terraform_version'] ?? file['infra_version']
  return {
    state_version: integerOrNull(version),
    infra_version: textOrNull(tool),
    serial: integerOrNull(serial),
    lineage: textOrNull(lineage),
    outputs: parseOutputs(outputs),
    resources: objectsIn(resources).map(parseResource),
  }
}

/**
 * Converts an object of outputs by name to a list, sorted by name. Returns an empty list for any
 * other value.
 */
export function parseOutputs(outputs: unknown): StateOutput[] {
  if (!isObject(outputs)) return []
  return Object.entries(outputs)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, output]) => {
      const { value = null, type, sensitive } = isObject(output) ? output : {}
      const detailed_type = type ?? stateValueType(value)
      // The value and the type were parsed from JSON, so the cast is safe.
      const parsed = { value, detailed_type } as Pick<StateOutput, 'value' | 'detailed_type'>
      return { name, sensitive: sensitive === true, ...parsed }
    })
}

/** Derives the type of an output from its value. */
export function stateValueType(value: unknown): Json {
  if (Array.isArray(value)) return ['tuple', value.map(stateValueType)]
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, each]) => [name, stateValueType(each)])
    return ['object', Object.fromEntries(members)]
  }
  return { string: 'string', number: 'number', boolean: 'bool' }[String(typeof value)] ?? 'dynamic'
}

/** JSON Schema type for each type of a Terraform value, except for strings. */
const jsonTypes: Readonly<Record<string, string>> = {
  bool: 'boolean',
  number: 'number',
  list: 'array',
  set: 'array',
  tuple: 'array',
  map: 'object',
  object: 'object',
}

/** Returns the JSON Schema type of an output; `string` for an unknown type. */
export function simpleType(detailedType: unknown): string {
  const kind = Array.isArray(detailedType) ? detailedType[0] : detailedType
  return jsonTypes[String(kind)] ?? 'string'
}

function parseResource(resource: Readonly<Record<string, unknown>>): StateResource {
  const { mode, type, name, provider, module } = resource
  const prefix = mode === 'data' ? 'data.' : ''
  const modulePath = textOrNull(module)
  const path = `${modulePath === null ? '' : `${modulePath}.`}${prefix}${type}.${name}`
  return {
    name: String(name),
    type: `${prefix}${type}`,
    module: modulePath === null ? 'root' : modulePath.replace(/^module\./, ''),
    provider: textOrNull(provider) ?? '',
    instances: objectsIn(resource['instances']).map((instance) => {
      const { index_key: key } = instance
      const hasIndex = typeof key === 'string' || typeof key === 'number'
      const address = hasIndex ? `${path}[${JSON.stringify(key)}]` : path
      return { address, index: hasIndex ? String(key) : null, json: JSON.stringify(instance) }
    }),
  }
}

/** Returns whether a resource is managed, not a data source. */
export function isManaged({ type }: Pick<StateResource, 'type'>): boolean {
  return !type.startsWith('data.')
}

export function countInstances(resources: readonly StateResource[]): number {
  return resources.reduce((sum, { instances }) => sum + instances.length, 0)
}

/**
 * Returns the number of instances by module or provider, then by type. The types have hyphens
 * instead of underscores.
 */
export function instanceCountsBy(
  member: 'module' | 'provider',
  resources: readonly StateResource[],
): InstanceCounts {
  const counts = new Map<string, Map<string, number>>()
  for (const { [member]: group, type, instances } of resources) {
    const types = counts.get(group) ?? new Map<string, number>()
    const name = type.replaceAll('_', '-')
    counts.set(group, types.set(name, (types.get(name) ?? 0) + instances.length))
  }
  return Object.fromEntries(
    Array.from(counts, ([group, types]) => [group, Object.fromEntries(types)]),
  )
}

function objectsIn(list: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function integerOrNull(value: unknown): number | null {
  return Number.isInteger(value) ? Number(value) : null
}
