import type { PlainMap, PlainValue } from '../../../state/hcl/document/document.ts'
import { ProductCallError } from '../../config-error.ts'
import { configFiles, parseConfigText, readConfigText, valueAt } from './product-config.ts'

/** The parts of the mesh product's configuration that have an effect here. */
export interface MeshConfig {
  readonly port?: string
  readonly datacenter?: string
  readonly nodeName?: string
  readonly acl: boolean
  readonly deny: boolean
  /** The first management token. */
  readonly token?: string
  readonly warnings: readonly string[]
}

/** Sources of the configuration; later ones win. */
export interface MeshConfigSources {
  /** The variable of the product's image. */
  readonly local: string | undefined
  /** Values of `-config-file` and `-config-dir` in the order of the command line. */
  readonly paths: readonly { readonly path: string; readonly isFolder: boolean }[]
  /** Values of `-datacenter` and `-node`. */
  readonly datacenter: string | undefined
  readonly nodeName: string | undefined
  /** Values of `-hcl`. */
  readonly fragments: readonly string[]
}

/** Keys that are ignored without a warning, because their settings do not matter to a mock. */
const quietKeys: ReadonlySet<string> = new Set([
  ...['addresses', 'bind_addr', 'bootstrap', 'bootstrap_expect', 'client_addr', 'data_dir'],
  ...['disable_update_check', 'enable_debug', 'leave_on_terminate', 'log_json', 'log_level'],
  ...['primary_datacenter', 'retry_join', 'server', 'skip_leave_on_interrupt', 'ui', 'ui_config'],
])

/** Keys that have an effect, at least in parts. */
const effectiveKeys: ReadonlySet<string> = new Set([
  ...['acl', 'acl_datacenter', 'acl_default_policy', 'acl_master_token'],
  ...['datacenter', 'node_name', 'ports'],
])

/**
 * Reads the configuration of the mesh product: the variable, the files, the flags, then the
 * fragments (behaviour/program#drop-in).
 *
 * @throws {ProductCallError} for unreadable files, syntax errors and an invalid datacenter
 */
export function readMeshConfig(sources: MeshConfigSources): MeshConfig {
  const { local = '', paths, datacenter, nodeName, fragments } = sources
  const flagValues: [string, PlainValue][] = []
  if (datacenter !== undefined) flagValues.push(['datacenter', datacenter])
  if (nodeName !== undefined) flagValues.push(['node_name', nodeName])
  const documents: readonly PlainMap[] = [
    ...(local.trim() === '' ? [] : [parse('CONSUL_LOCAL_CONFIG', local)]),
    ...paths
      .flatMap(({ path, isFolder }) => configFiles(path, isFolder, cannotRead(path)))
      .map((file) => parse(file, readConfigText(file, cannotRead(file)))),
    new Map(flagValues),
    ...fragments.map((text) => parse('-hcl', text)),
  ]
  return configOf(documents)
}

function parse(origin: string, text: string): PlainMap {
  return parseConfigText(
    text,
    (reason) => new ProductCallError(`failed to parse ${origin}: ${reason}`),
  )
}

function cannotRead(path: string) {
  return (reason: string) => new ProductCallError(`cannot read ${path}: ${reason}`)
}

function configOf(documents: readonly PlainMap[]): MeshConfig {
  const find = (...path: readonly string[]): string | undefined => {
    const found = documents.flatMap((document) => valueAt(document, path) ?? [])
    return found.at(-1)
  }
  const token =
    find('acl', 'tokens', 'initial_management') ??
    find('acl', 'tokens', 'master') ??
    find('acl_master_token')
  const policy = find('acl', 'default_policy') ?? find('acl_default_policy')
  const [port, datacenter, nodeName] = [
    find('ports', 'http'),
    find('datacenter'),
    find('node_name'),
  ]
  const keys = new Set(documents.flatMap((document) => [...document.keys()]))
  const unused = [...keys].filter((key) => !effectiveKeys.has(key) && !quietKeys.has(key))
  return {
    acl: find('acl', 'enabled') === 'true' || token !== undefined,
    deny: policy === 'deny',
    warnings: unused.map((key) => `${key} in the configuration has no effect`),
    ...(port !== undefined && { port }),
    ...(datacenter !== undefined && { datacenter: checkedDatacenter(datacenter) }),
    ...(nodeName !== undefined && { nodeName }),
    ...(token !== undefined && token !== '' && { token }),
  }
}

function checkedDatacenter(sent: string): string {
  const datacenter = sent.toLowerCase()
  if (/^[a-z0-9_-]+$/.test(datacenter)) return datacenter
  throw new ProductCallError(
    `datacenter can only contain lowercase alphanumeric, - or _ characters. received: ${JSON.stringify(datacenter)}`,
  )
}
