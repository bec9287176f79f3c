import { existsSync, statSync } from 'node:fs'
import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { ProductCallError } from '../../config-error.ts'
import type { TlsSetting } from './flag-types.ts'
import { configFiles, parseConfigText, readConfigText, valueAt } from './product-config.ts'

/** Variable of the product's image that holds a configuration. */
export const localVariable = 'VAULT_LOCAL_CONFIG'

/** The parts of the secrets product's configuration that have an effect here. */
export interface ServerConfig {
  /** Address of the TCP listener. */
  readonly address?: string | undefined
  /** Whether the product's web interface is served. */
  readonly hasUi?: boolean
  /**
   * Certificates of the TCP listener; undefined if the certificate or the key is not named, and
   * with `tls_disable`.
   */
  readonly tls?: TlsSetting | undefined
  readonly pluginDirectory?: string | undefined
  readonly clusterName?: string | undefined
  readonly warnings: readonly string[]
}

const effectiveKeys: ReadonlySet<string> = new Set([
  'listener',
  'ui',
  'plugin_directory',
  'cluster_name',
])

/**
 * Reads the files and folders of `-config`; later ones win (behaviour/program#drop-in). Keys
 * without effect are named in one warning.
 *
 * @param local configuration from the variable; the files override its settings
 * @throws {ProductCallError} for unreadable files and syntax errors
 */
export function readServerConfig(paths: readonly string[], local = ''): ServerConfig {
  const files = paths.flatMap((path) => {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    const refuse = (reason: string) =>
      new ProductCallError(`error loading configuration from ${path}: ${reason}`)
    return configFiles(path, isFolder, refuse).map((file) =>
      parseConfigText(readConfigText(file, refuse), refuse),
    )
  })
  const refuseLocal = (reason: string) =>
    new ProductCallError(`error loading configuration from ${localVariable}: ${reason}`)
  const documents = local === '' ? files : [parseConfigText(local, refuseLocal), ...files]
  const find = (...path: readonly string[]) =>
    documents.flatMap((document) => valueAt(document, path) ?? []).at(-1)
  const keys = new Set(documents.flatMap((document) => [...document.keys()]))
  const unused = [...keys].filter((key) => !effectiveKeys.has(key))
  const ui = find('ui')
  const listener = (name: string) => find('listener', 'tcp', name)
  return {
    address: listener('address'),
    tls: listenerTls(listener),
    ...(ui !== undefined && { hasUi: parseGoBoolean(ui) === true }),
    pluginDirectory: find('plugin_directory'),
    clusterName: find('cluster_name'),
    warnings:
      unused.length === 0 ? [] : [`in the configuration, ${unused.join(', ')} has no effect`],
  }
}

/**
 * Returns the certificates that a listener's settings name; undefined if TLS is off, or if the
 * certificate or its key is not named.
 */
function listenerTls(find: (name: string) => string | undefined): TlsSetting | undefined {
  const isOn = (name: string) => parseGoBoolean(find(name) ?? '') === true
  const [certFile, keyFile] = [find('tls_cert_file'), find('tls_key_file')]
  if (certFile === undefined || keyFile === undefined || isOn('tls_disable')) return undefined
  const requiresClientCertificate = isOn('tls_require_and_verify_client_cert')
  const clientCaFile = requiresClientCertificate ? find('tls_client_ca_file') : undefined
  return { certFile, keyFile, requiresClientCertificate, clientCaFile }
}

/**
 * Checks that the certificate files of a listener exist.
 *
 * @throws {ProductCallError} with the product's message if a file does not exist
 */
export function checkListenerFiles({ certFile, keyFile, clientCaFile }: TlsSetting): void {
  for (const file of [certFile, keyFile, clientCaFile]) {
    if (file === undefined || existsSync(file)) continue
    const what =
      file === clientCaFile ? 'failed to read tls_client_ca_file' : 'error loading TLS cert'
    throw new ProductCallError(
      `Error initializing listener of type tcp: ${what}: open ${file}: no such file or directory`,
    )
  }
}
