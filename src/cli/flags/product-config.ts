import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type PlainMap,
  type PlainValue,
  plainMap,
  readDocument,
} from '../../../state/hcl/document/document.ts'
import { HclError } from '../../../state/hcl/syntax/error.ts'
import { reasonOf } from '../../config-error.ts'

/** Function that returns an error with the reason why a configuration is unusable. */
type Refuse = (reason: string) => Error

/**
 * Parses a product's configuration: HCL or JSON.
 *
 * @throws the error of `refuse` for syntax errors
 */
export function parseConfigText(text: string, refuse: Refuse): PlainMap {
  try {
    return plainMap(readDocument(text))
  } catch (error) {
    if (!(error instanceof HclError)) throw error
    throw refuse(error.message)
  }
}

/**
 * Reads a file of a product's configuration.
 *
 * @throws the error of `refuse` for an unreadable file
 */
export function readConfigText(file: string, refuse: Refuse): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw refuse(reasonOf(error))
  }
}

/**
 * Returns the path of a file, or the paths of the `.hcl` and `.json` files in a folder, sorted by
 * name.
 *
 * @throws the error of `refuse` for an unreadable folder
 */
export function configFiles(path: string, isFolder: boolean, refuse: Refuse): readonly string[] {
  if (!isFolder) return [path]
  try {
    const names = readdirSync(path).filter((name) => /\.(?:hcl|json)$/.test(name))
    return names.sort().map((name) => join(path, name))
  } catch (error) {
    throw refuse(reasonOf(error))
  }
}

/**
 * Returns the scalar at a path as text; undefined if there is no scalar at the path. If several
 * blocks have the same name, the last one applies.
 */
export function valueAt(document: PlainMap, path: readonly string[]): string | undefined {
  let value: PlainValue | undefined = document
  for (const name of path) {
    const within: PlainValue | undefined = Array.isArray(value) ? value.at(-1) : value
    value = within instanceof Map ? within.get(name) : undefined
  }
  return value === undefined || typeof value === 'object' ? undefined : String(value)
}

/**
 * Returns the members of the block `name`, with their values as text. If several blocks have this
 * name, returns the members of all of them.
 */
export function mapAt(document: PlainMap, name: string): readonly (readonly [string, string])[] {
  const value = document.get(name)
  const maps = Array.isArray(value) ? value : [value]
  return maps.flatMap((each) =>
    each instanceof Map ? [...each].map(([key, inner]) => [key, String(inner)] as const) : [],
  )
}
