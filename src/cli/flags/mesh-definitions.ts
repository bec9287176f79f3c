import type { PlainMap, PlainValue } from '../../../state/hcl/document/document.ts'
import { plainValue, readDocument } from '../../../state/hcl/document/document.ts'
import {
  checkDefinition,
  checkType,
  proxyDefinition,
  serviceDefinition,
} from '../../../state/mesh/agent/definitions.ts'

/** Services and checks in the configuration of an agent, as the API registers them. */
export interface MeshDefinitions {
  readonly services: readonly object[]
  readonly checks: readonly object[]
}

/** Keys of the configuration that define services and checks. */
export const definitionKeys: ReadonlySet<string> = new Set([
  'service',
  'services',
  'check',
  'checks',
])

/**
 * API names of members, by their names in configuration files. The keys of this map are in lower
 * case and have no underscores.
 */
type Names = ReadonlyMap<string, string>

function namesOf(fields: object, others: Readonly<Record<string, string>> = {}): Names {
  return new Map([
    ...Object.keys(fields).map((name) => [name.toLowerCase(), name] as const),
    ...Object.entries(others),
  ])
}

const checkNames = namesOf(checkType.fields, { id: 'CheckID', args: 'ScriptArgs' })
const serviceNames = namesOf(serviceDefinition.fields)
const topCheckNames = namesOf(checkDefinition.fields, { checkid: 'ID', args: 'ScriptArgs' })
const addressNames = namesOf({ Address: '', Port: '' })

/**
 * Names of the members that a nested object may have, by the member that contains the object.
 * Objects in other members are copied unchanged.
 */
const nestedNames: Readonly<Record<string, Names>> = {
  Check: checkNames,
  Checks: checkNames,
  Weights: namesOf({ Passing: '', Warning: '' }),
  Locality: namesOf({ Region: '', Zone: '' }),
  Proxy: namesOf(proxyDefinition.fields),
  Connect: namesOf({ Native: '', SidecarService: '' }),
  SidecarService: serviceNames,
}

/**
 * Returns the services and checks that a configuration defines. Names of members may have
 * underscores, as in the documentation of the product.
 *
 * @param text a configuration without syntax errors
 * @param refuse returns the error for an unknown key
 */
export function definitionsIn(text: string, refuse: (key: string) => Error): MeshDefinitions {
  const members = (value: PlainValue, names: Names, path: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => members(each, names, path))
    if (!(value instanceof Map)) return value
    const known = [...value].map(([key, inner]: [string, PlainValue]) => {
      const name = names.get(key.toLowerCase().replaceAll('_', ''))
      if (name === undefined) throw refuse(`${path}.${key}`)
      return [name, memberValue(name, inner, `${path}.${key}`)]
    })
    return Object.fromEntries(known)
  }
  const memberValue = (name: string, value: PlainValue, path: string): unknown => {
    const nested = nestedNames[name]
    if (name === 'TaggedAddresses' && value instanceof Map) {
      return Object.fromEntries(
        [...value].map(([tag, each]) => [tag, members(each, addressNames, `${path}.${tag}`)]),
      )
    }
    // A single block parses as a list of one object, but only `Checks` is a list in the API.
    const isSingle = name !== 'Checks' && Array.isArray(value) && value.length === 1
    const only = isSingle && value[0] instanceof Map ? value[0] : value
    if (nested !== undefined) {
      const listed = name === 'Checks' && only instanceof Map ? [only] : only
      return members(listed, nested, path)
    }
    return plainJson(only)
  }
  const definitions = { services: [] as object[], checks: [] as object[] }
  for (const { key, value } of readDocument(text).items) {
    if (!definitionKeys.has(key)) continue
    const isService = key.startsWith('service')
    const names = isService ? serviceNames : topCheckNames
    const objects = [members(plainValue(value), names, key)].flat(1)
    for (const each of objects) {
      if (typeof each === 'object' && each !== null) {
        definitions[isService ? 'services' : 'checks'].push(each)
      }
    }
  }
  return definitions
}

/** Returns a value of a configuration with plain objects instead of maps. */
function plainJson(value: PlainValue | PlainMap): unknown {
  if (Array.isArray(value)) return value.map(plainJson)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([key, each]) => [key, plainJson(each)]))
}
