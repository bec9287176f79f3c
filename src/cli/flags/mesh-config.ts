import type { PlainMap, PlainValue } from '../../../state/hcl/document/document.ts'
import { ProductCallError } from '../../config-error.ts'
import { definitionKeys, definitionsIn, type MeshDefinitions } from './mesh-definitions.ts'
import { configFiles, mapAt, parseConfigText, readConfigText, valueAt } from './product-config.ts'

/** The parts of the mesh product's configuration that have an effect here. */
export interface MeshConfig {
  readonly port?: string
  readonly datacenter?: string
  readonly nodeName?: string
  readonly nodeId?: string
  readonly nodeMeta: Readonly<Record<string, string>>
  /** ID of the mesh in the trust domain of its certificates. */
  readonly clusterId?: string
  readonly enforcesAcls: boolean
  readonly deniesByDefault: boolean
  /** Initial management token. */
  readonly token?: string
  /** True if checks may be scripts. */
  readonly allowsScriptChecks: boolean
  readonly definitions: MeshDefinitions
  readonly warnings: readonly string[]
}

/** Sources of the configuration; later ones win. */
export interface MeshConfigSources {
  /** Value of `CONSUL_LOCAL_CONFIG`, in which the product's image expects a configuration. */
  readonly local: string | undefined
  /** Values of `-config-file` and `-config-dir` in the order of the command line. */
  readonly paths: readonly { readonly path: string; readonly isFolder: boolean }[]
  /** Value of `-datacenter`. */
  readonly datacenter: string | undefined
  /** Value of `-node`. */
  readonly nodeName: string | undefined
  /** Value of `-node-id`. */
  readonly nodeId: string | undefined
  /** Values of `-node-meta`: names and values, separated by a colon. */
  readonly nodeMeta: readonly string[]
  /** True for `-enable-script-checks`. */
  readonly allowsScriptChecks: boolean
  /** Values of `-hcl`. */
  readonly fragments: readonly string[]
}

/** Keys that are ignored without a warning, because their settings do not matter to a mock. */
const quietKeys: ReadonlySet<string> = new Set([
  ...['addresses', 'bind_addr', 'bootstrap', 'bootstrap_expect', 'client_addr', 'data_dir'],
  ...['disable_update_check', 'enable_debug', 'leave_on_terminate', 'log_json', 'log_level'],
  ...['peering', 'performance', 'primary_datacenter', 'retry_join', 'server', 'ui', 'ui_config'],
  'skip_leave_on_interrupt',
])

/** Keys that have an effect, at least in part. */
const effectiveKeys: ReadonlySet<string> = new Set([
  ...definitionKeys,
  ...['acl', 'acl_datacenter', 'acl_default_policy', 'acl_master_token'],
  ...['connect', 'datacenter', 'enable_script_checks', 'node_id', 'node_meta', 'node_name'],
  'ports',
])

/**
 * Reads the configuration of the mesh product from the variable, the files, the flags and the
 * `-hcl` fragments (behaviour/program#drop-in).
 *
 * @throws {ProductCallError} for unreadable files, syntax errors, unknown members of services and
 *   checks, and an invalid datacenter or node ID
 */
export function readMeshConfig(sources: MeshConfigSources): MeshConfig {
  const { local = '', paths, datacenter, nodeName, nodeId, allowsScriptChecks, fragments } = sources
  const flagValues: [string, PlainValue][] = []
  if (datacenter !== undefined) flagValues.push(['datacenter', datacenter])
  if (nodeName !== undefined) flagValues.push(['node_name', nodeName])
  if (nodeId !== undefined) flagValues.push(['node_id', nodeId])
  if (sources.nodeMeta.length > 0) {
    const pairs = sources.nodeMeta.map((pair): [string, string] => {
      const [name = '', ...rest] = pair.split(':')
      return [name, rest.join(':')]
    })
    flagValues.push(['node_meta', new Map(pairs)])
  }
  if (allowsScriptChecks) flagValues.push(['enable_script_checks', true])
  const texts: readonly ConfigText[] = [
    ...(local.trim() === '' ? [] : [{ origin: 'CONSUL_LOCAL_CONFIG', text: local }]),
    ...paths
      .flatMap(({ path, isFolder }) => configFiles(path, isFolder, readErrorFor(path)))
      .map((file) => ({ origin: file, text: readConfigText(file, readErrorFor(file)) })),
  ]
  const fragmentTexts = fragments.map((text) => ({ origin: '-hcl', text }))
  const documents: readonly PlainMap[] = [
    ...texts.map(parseConfig),
    new Map(flagValues),
    ...fragmentTexts.map(parseConfig),
  ]
  return { ...configOf(documents), definitions: allDefinitions([...texts, ...fragmentTexts]) }
}

/** A configuration with the name of its source. */
interface ConfigText {
  readonly origin: string
  readonly text: string
}

/**
 * Returns the services and checks of all configurations. Throws a `ProductCallError` for an unknown
 * member.
 */
function allDefinitions(texts: readonly ConfigText[]): MeshDefinitions {
  const definitions = texts.map(({ origin, text }) =>
    definitionsIn(text, (key) => {
      const problem = `1 error occurred:\n\t* invalid config key ${key}\n\n`
      return new ProductCallError(`failed to parse ${origin}: ${problem}`)
    }),
  )
  return {
    services: definitions.flatMap(({ services }) => services),
    checks: definitions.flatMap(({ checks }) => checks),
  }
}

function parseConfig({ origin, text }: ConfigText): PlainMap {
  return parseConfigText(
    text,
    (reason) => new ProductCallError(`failed to parse ${origin}: ${reason}`),
  )
}

function readErrorFor(path: string) {
  return (reason: string) => new ProductCallError(`cannot read ${path}: ${reason}`)
}

function configOf(documents: readonly PlainMap[]): Omit<MeshConfig, 'definitions'> {
  const find = (...path: readonly string[]): string | undefined => {
    const found = documents.flatMap((document) => valueAt(document, path) ?? [])
    return found.at(-1)
  }
  const token =
    find('acl', 'tokens', 'initial_management') ??
    find('acl', 'tokens', 'master') ??
    find('acl_master_token')
  const policy = find('acl', 'default_policy') ?? find('acl_default_policy')
  const [port, datacenter, nodeName, nodeId, clusterId] = [
    find('ports', 'http'),
    find('datacenter'),
    find('node_name'),
    find('node_id'),
    find('connect', 'ca_config', 'cluster_id'),
  ]
  const nodeMeta = documents.flatMap((document) => mapAt(document, 'node_meta'))
  const keys = new Set(documents.flatMap((document) => [...document.keys()]))
  const unused = [...keys].filter((key) => !effectiveKeys.has(key) && !quietKeys.has(key))
  return {
    enforcesAcls: find('acl', 'enabled') === 'true' || token !== undefined,
    deniesByDefault: policy === 'deny',
    allowsScriptChecks: find('enable_script_checks') === 'true',
    warnings: unused.map((key) => `${key} in the configuration has no effect`),
    ...(port !== undefined && { port }),
    ...(datacenter !== undefined && { datacenter: checkedDatacenter(datacenter) }),
    ...(nodeName !== undefined && { nodeName }),
    ...(nodeId !== undefined && nodeId !== '' && { nodeId: checkedNodeId(nodeId) }),
    nodeMeta: Object.fromEntries(nodeMeta),
    ...(clusterId !== undefined && clusterId !== '' && { clusterId }),
    ...(token !== undefined && token !== '' && { token }),
  }
}

function checkedNodeId(sent: string): string {
  const id = sent.toLowerCase()
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id
  const problem = id.length === 36 ? 'is improperly formatted' : 'string is wrong length'
  throw new ProductCallError(
    `failed to setup node ID: specified NodeID is invalid: uuid ${problem}`,
  )
}

function checkedDatacenter(sent: string): string {
  const datacenter = sent.toLowerCase()
  if (/^[a-z0-9_-]+$/.test(datacenter)) return datacenter
  throw new ProductCallError(
    `datacenter can only contain lowercase alphanumeric, - or _ characters. received: ${JSON.stringify(datacenter)}`,
  )
}
