import { statSync } from 'node:fs'
import { ProductCallError } from '../../config-error.ts'
import { configFiles, parseConfigText, readConfigText, valueAt } from './product-config.ts'

/** The parts of the secrets product's configuration that have an effect here. */
export interface ServerConfig {
  /** Address of the TCP listener. */
  readonly address?: string | undefined
  /** Whether the product's web interface is served. */
  readonly hasUi?: boolean
  readonly warnings: readonly string[]
}

const effectiveKeys: ReadonlySet<string> = new Set(['listener', 'ui'])

/**
 * Reads the files of `-config`; later ones win (behaviour/program#drop-in). Other keys than the
 * listener and `ui` are named in one warning.
 *
 * @throws {ProductCallError} for unreadable files and syntax errors
 */
export function readServerConfig(paths: readonly string[]): ServerConfig {
  const documents = paths.flatMap((path) => {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    const refuse = (reason: string) =>
      new ProductCallError(`error loading configuration from ${path}: ${reason}`)
    return configFiles(path, isFolder, refuse).map((file) =>
      parseConfigText(readConfigText(file, refuse), refuse),
    )
  })
  const find = (...path: readonly string[]) =>
    documents.flatMap((document) => valueAt(document, path) ?? []).at(-1)
  const keys = new Set(documents.flatMap((document) => [...document.keys()]))
  const unused = [...keys].filter((key) => !effectiveKeys.has(key))
  const ui = find('ui')
  return {
    address: find('listener', 'tcp', 'address'),
    ...(ui !== undefined && { hasUi: ui === 'true' }),
    warnings:
      unused.length === 0 ? [] : [`in the configuration, ${unused.join(', ')} has no effect`],
  }
}
