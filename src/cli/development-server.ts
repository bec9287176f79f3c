import type { EmbeddedWorld } from '../embedding/embedded-world.ts'

/** Settings and secrets that a development server prints when it starts. */
interface DevelopmentServer {
  /** Address of the secrets API. */
  readonly url: string
  readonly version: string
  readonly logLevel: string
  /** The key shares in hex. */
  readonly unsealKeys: readonly string[]
  /** The root token; empty before the initialization. */
  readonly rootToken: string
  /** File with the CA; undefined without TLS. */
  readonly caFile?: string | undefined
}

/**
 * Returns the settings and secrets of a world for the start lines.
 *
 * @param origin scheme, host and port of the combined listener
 */
export function developmentServerOf(
  world: EmbeddedWorld,
  origin: string,
  logLevel: string,
  caFile?: string,
): DevelopmentServer {
  const { url, token: rootToken, unsealKeys } = world.info(origin).services.secrets
  const { version } = world.options().secrets
  return { url, version, logLevel, unsealKeys, rootToken, caFile }
}

/**
 * Kind of server whose start lines are printed: started with `-dev`, or from configuration alone.
 */
export type StartLines = 'development' | 'configured'

/**
 * Returns the lines that Vault prints at a start. Helpers that start containers read the key and
 * the token of a development server from these lines (behaviour/program#drop-in).
 */
export function productLines(startLines: StartLines, server: DevelopmentServer): readonly string[] {
  return [
    ...configurationLines(server),
    ...(startLines === 'development' ? developmentLines(server) : []),
  ]
}

function configurationLines({ url, version, logLevel }: DevelopmentServer): readonly string[] {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'https:'
  const apiPort = port === '' ? (isSecure ? 443 : 80) : Number(port)
  const clusterAddress = `${hostname}:${apiPort + 1}`
  const listener = [
    `addr: "${hostname}:${apiPort}"`,
    `cluster address: "${clusterAddress}"`,
    `tls: "${isSecure ? 'enabled' : 'disabled'}"`,
  ]
  const settings = [
    ['Api Address', url],
    ['Cluster Address', `https://${clusterAddress}`],
    ['Listener 1', `tcp (${listener.join(', ')})`],
    ['Log Level', logLevel],
    ['Recovery Mode', 'false'],
    ['Storage', 'inmem'],
    ['Version', `Vault v${version}`],
  ]
  return [
    '==> Vault server configuration:',
    '',
    ...settings.map(([name = '', value]) => `${name.padStart(24)}: ${value}`),
    '',
    '==> Vault server started! Log data will stream in below:',
    '',
  ]
}

function developmentLines(server: DevelopmentServer): readonly string[] {
  const { url, unsealKeys, rootToken, caFile } = server
  return [
    'WARNING! dev mode is enabled! In this mode, Vault runs entirely in-memory',
    'and starts unsealed with a single unseal key. The root token is already',
    'authenticated to the CLI, so you can immediately begin using Vault.',
    '',
    'You may need to set the following environment variables:',
    '',
    `    $ export VAULT_ADDR='${url}'`,
    ...(caFile === undefined ? [] : [`    $ export VAULT_CACERT='${caFile}'`, '']),
    '',
    'The unseal key and root token are displayed below in case you want to',
    'seal/unseal the Vault or re-authenticate.',
    '',
    ...unsealKeys.map((key, at) => {
      const number = unsealKeys.length === 1 ? '' : ` ${at + 1}`
      return `Unseal Key${number}: ${Buffer.from(key, 'hex').toString('base64')}`
    }),
    ...(rootToken === '' ? [] : [`Root Token: ${rootToken}`]),
    '',
    'Development mode should NOT be used in production installations!',
    '',
  ]
}
