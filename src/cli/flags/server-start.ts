import { existsSync } from 'node:fs'
import { ProductCallError } from '../../config-error.ts'
import type { TlsSetting } from './flag-types.ts'
import { checkListenerFiles, type ServerConfig } from './server-config.ts'
import { isOn, lastOf, type ProductFlag } from './server-flags.ts'

/** Settings with which `vault server` starts (behaviour/program#drop-in). */
interface ServerStart {
  /** Address to listen on, as `host:port`; undefined for the default. */
  readonly address?: string | undefined
  /**
   * The root token that the call names; undefined if the call names no token, or if the server
   * starts from its configuration alone.
   */
  readonly rootToken?: string | undefined
  /** World options of the secrets service. */
  readonly options: Readonly<Record<string, unknown>>
  readonly tls?: TlsSetting | undefined
  readonly warnings: readonly string[]
}

/** Flags, configuration and variables that determine a `ServerStart`. */
interface ServerCall {
  readonly productFlags: readonly ProductFlag[]
  readonly config: ServerConfig
  /** Value of the variable `VAULT_DEV_ROOT_TOKEN_ID`. */
  readonly rootToken: string | undefined
  /** Value of the variable `VAULT_DEV_LISTEN_ADDRESS`. */
  readonly address: string | undefined
}

/**
 * Returns the settings of a development server from flags, variables and configuration. Throws a
 * `ProductCallError` if the directory for certificates does not exist.
 */
export function developmentStart({
  productFlags,
  config,
  rootToken,
  address,
}: ServerCall): ServerStart {
  const pluginDirectory = lastOf(productFlags, 'dev-plugin-dir') ?? config.pluginDirectory
  return {
    address: lastOf(productFlags, 'dev-listen-address') ?? address ?? config.address,
    rootToken: lastOf(productFlags, 'dev-root-token-id') ?? rootToken,
    options: {
      start: 'dev',
      ...configuredOptions(config, pluginDirectory),
      ...(isOn(productFlags, 'dev-kv-v1') && { kvVersion: 1 }),
      ...(isOn(productFlags, 'dev-skip-init') && { initialized: false }),
      ...(config.hasUi === false && { ui: false }),
    },
    tls: developmentTls(productFlags),
    warnings: [],
  }
}

/**
 * Returns the settings of a server that starts from its configuration alone. The server is not
 * initialized, so a root token that the call names has no effect and causes a warning.
 *
 * @throws {ProductCallError} if a certificate file of the configuration does not exist
 */
export function configuredStart({ productFlags, config, rootToken }: ServerCall): ServerStart {
  const { address, hasUi = false, pluginDirectory, tls } = config
  if (tls !== undefined) checkListenerFiles(tls)
  const ignoredToken = lastOf(productFlags, 'dev-root-token-id') ?? rootToken ?? ''
  return {
    address,
    options: {
      start: 'bare',
      initialized: false,
      ui: hasUi,
      ...configuredOptions(config, pluginDirectory),
    },
    tls,
    warnings:
      ignoredToken === ''
        ? []
        : [
            'You cannot specify a custom root token ID outside of "dev" mode. Your request has been ignored.',
          ],
  }
}

/** Returns the options for the folder of plug-ins and the name of the cluster. */
function configuredOptions({ clusterName }: ServerConfig, pluginDirectory: string | undefined) {
  return {
    ...(pluginDirectory !== undefined && { pluginDirectory }),
    ...(clusterName !== undefined && { clusterName }),
  }
}

/**
 * Returns the TLS settings of `-dev-tls`, whose files have the product's names; undefined without
 * this flag. Throws a `ProductCallError` if the directory does not exist.
 */
function developmentTls(productFlags: readonly ProductFlag[]): TlsSetting | undefined {
  if (!isOn(productFlags, 'dev-tls')) return undefined
  const dir = lastOf(productFlags, 'dev-tls-cert-dir')
  if (dir !== undefined && !existsSync(dir)) {
    throw new ProductCallError(`stat ${dir}: no such file or directory`)
  }
  return { dir, filePrefix: 'vault-' }
}
