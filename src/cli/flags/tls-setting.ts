import { ConfigError } from '../../config-error.ts'
import type { ProvidedValue } from '../command-line.ts'
import type { Flag, TlsSetting } from './flag-types.ts'
import { flags } from './flags.ts'

/** Returns whether the command line has TLS settings of this program. */
export function hasTlsFlag(provided: ReadonlyMap<string, ProvidedValue>): boolean {
  return [flags.tls, flags.tlsDir, flags.tlsCert, flags.tlsKey].some(({ name }) =>
    provided.has(name),
  )
}

/**
 * Returns the TLS settings; undefined without TLS. Naming files turns TLS on, unless `--no-tls`
 * turns it off.
 *
 * @throws {ConfigError} for a certificate without its key, or a key without its certificate
 */
export function tlsSetting(settingOf: <T>(flag: Flag<T>) => T): TlsSetting | undefined {
  const dir = settingOf(flags.tlsDir)
  const certFile = settingOf(flags.tlsCert)
  const keyFile = settingOf(flags.tlsKey)
  const namesFiles = dir !== undefined || certFile !== undefined || keyFile !== undefined
  if (!(settingOf(flags.tls) ?? namesFiles)) return undefined
  if ((certFile === undefined) === (keyFile === undefined)) return { dir, certFile, keyFile }
  throw new ConfigError(
    certFile === undefined
      ? '--tls-key needs --tls-cert, the certificate it belongs to'
      : '--tls-cert needs --tls-key, its private key',
  )
}
