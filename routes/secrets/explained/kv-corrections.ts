import { kv2Keys, storageKey, versionOf } from '../../../state/secrets/kv/v2-store.ts'
import { isKeyValue, isVersioned } from '../../../state/secrets/mounts/mounts.ts'
import type { Corrector } from '../../http/journal-hooks/token-corrections.ts'
import { targetOf } from './request-target.ts'
import { sendTo } from './root-requests.ts'

/** Content of the secrets that corrections write. */
export const exampleSecret = { key: 'value' }

/**
 * Returns a correction that writes the missing secret. If `isFolder` is true, it writes an example
 * secret in the empty folder. The correction is undefined outside of key-value mounts.
 */
export function writeSecret(isFolder: boolean): Corrector {
  return (request) => {
    const { mount, path } = targetOf(request)
    if (mount === undefined || !isKeyValue(mount)) return undefined
    const below = path.slice(mount.path.length)
    const name = isVersioned(mount) ? below.slice(below.indexOf('/') + 1) : below
    const secret = isFolder
      ? `${name === '' || name.endsWith('/') ? name : `${name}/`}example`
      : name
    const isVersionedMount = isVersioned(mount)
    const body = () => (isVersionedMount ? { data: exampleSecret } : exampleSecret)
    return sendTo(request, `${mount.path}${isVersionedMount ? 'data/' : ''}${secret}`, body)
  }
}

/** Suggests undeleting the requested version, or the current version if the request names none. */
export const undelete: Corrector = (request) => {
  const { mount, path } = targetOf(request)
  if (mount === undefined) return undefined
  const name = secretName(path, mount.path)
  const key = request.world.table(kv2Keys).get(storageKey(mount, name))
  const version = Number([request.query['version']].flat()[0] ?? 0) || key?.current_version || 1
  return sendTo(request, `${mount.path}undelete/${name}`, () => ({ versions: [version] }))
}

/**
 * Suggests reading the latest version that has data. If no version has data, suggests writing one.
 */
export const readOtherVersion: Corrector = (request) => {
  const { mount, path } = targetOf(request)
  if (mount === undefined) return undefined
  const key = request.world.table(kv2Keys).get(storageKey(mount, secretName(path, mount.path)))
  const isReadable = (version: number) => {
    const found = key && versionOf(key, version)
    return found !== undefined && !found.destroyed && found.deletion_time === null
  }
  let version = key?.current_version ?? 0
  while (version > 0 && !isReadable(version)) version -= 1
  return version === 0
    ? writeSecret(false)(request)
    : { request: { query: { version: String(version) } } }
}

/** Suggests sending the secret's current version in the field `versions`. */
export const nameVersions: Corrector = (request) => {
  const { mount, path } = targetOf(request)
  if (mount === undefined) return undefined
  const key = request.world.table(kv2Keys).get(storageKey(mount, secretName(path, mount.path)))
  const versions = [Math.max(1, key?.current_version ?? 1)]
  const amendment = { body: (body: unknown) => ({ ...Object(body), versions }) }
  return { change: `Send "versions": ${JSON.stringify(versions)}`, request: amendment }
}

function secretName(path: string, mountPath: string): string {
  const below = path.slice(mountPath.length)
  return below.slice(below.indexOf('/') + 1)
}
